// The plan for a session that is about to be compacted: one silent turn, in which the
// agent may append to the log of the day and to nothing else.

const softTokens = 4000
const forceBytes = 2 << 20
const reserve = 20_000
const units = { b: 1, kb: 1 << 10, mb: 1 << 20, gb: 1 << 30 }

// flushPlan returns the plan, or null when the settings want none.
export function flushPlan({ cfg, nowMs, contextWindowTokens } = {}) {
  const set = cfg?.agents?.defaults?.compaction?.memoryFlush ?? {}
  if (set.enabled === false) return null
  const now = new Date(nowMs ?? Date.now())
  const file = `memory/${day(now, cfg?.agents?.defaults?.userTimezone)}.md`
  const window = contextWindowTokens > 0 ? Math.floor(contextWindowTokens) : 0
  const floor = window ? Math.min(reserve, window - Math.min(8000, Math.floor(window / 2))) : reserve
  const soft = whole(set.softThresholdTokens) ?? softTokens
  const rules = `Store what later sessions need only in ${file}: append, never overwrite, one fact a line, complete without this conversation: names, dates, decisions with their reasons, preferences, what is open. Do not make other files. MEMORY.md, USER.md, DREAMS.md, SOUL.md and AGENTS.md are read-only now. Leave out what is no more than small talk, and secrets.`
  return {
    softThresholdTokens: window ? Math.min(soft, Math.floor((window - floor) / 2)) : soft,
    forceFlushTranscriptBytes: bytes(set.forceFlushTranscriptBytes) ?? forceBytes,
    reserveTokensFloor: floor,
    model: set.model?.trim() || undefined,
    prompt: `Pre-compaction memory flush. ${rules} If there is nothing to store, reply with NO_REPLY.\nCurrent time: ${now.toISOString()}`,
    systemPrompt: `Pre-compaction memory flush turn. The session is near its compaction: write down what is to last. ${rules} Usually NO_REPLY is the right reply.`,
    relativePath: file,
  }
}

// day is the date in a time zone, of the machine where it is none.
function day(now, timeZone) {
  const form = { year: "numeric", month: "2-digit", day: "2-digit" }
  try {
    return new Intl.DateTimeFormat("en-CA", { ...form, timeZone: timeZone || undefined }).format(now)
  } catch {
    return new Intl.DateTimeFormat("en-CA", form).format(now)
  }
}

const whole = (x) => (typeof x === "number" && Number.isFinite(x) && x >= 0 ? Math.floor(x) : undefined)

function bytes(x) {
  if (typeof x === "number") return whole(x)
  const m = /^\s*(\d+(?:\.\d+)?)\s*([kmg]?b)?\s*$/i.exec(x ?? "")
  return m ? Math.floor(Number(m[1]) * units[(m[2] ?? "b").toLowerCase()]) : undefined
}
