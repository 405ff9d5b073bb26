#!/usr/bin/env node
// Runs the memoir of this platform, which npm installed as an optional
// dependency. Streams, exit code and signals are those of memoir itself.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");
const tty = require("node:tty");

const platform = `${process.platform}-${process.arch}`;
const name = `@memoir-ai/memoir-${platform}`;
let program;
try {
  program = require.resolve(`${name}/bin/${process.platform === "win32" ? "memoir.exe" : "memoir"}`);
} catch {
  const { optionalDependencies } = require("../package.json");
  const reason = name in optionalDependencies
    ? `${name} is not installed: install again without --omit=optional (--no-optional), on the machine that runs it`
    : `there is no memoir for ${platform}; there is one for ${Object.keys(optionalDependencies).map((n) => n.slice("@memoir-ai/memoir-".length)).join(", ")}`;
  console.error(`memoir: ${reason}`);
  process.exit(1);
}

// Signals are passed on from the first moment: one that ended this process alone
// would leave memoir behind. They are handled when the program has been started.
let child;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) {
  process.on(signal, () => {
    // A terminal sends Ctrl-C and Ctrl-\ to memoir too, which must not get them
    // twice. To touch process.stdin would stop reads of memoir, which has it too.
    if (!(tty.isatty(0) && (signal === "SIGINT" || signal === "SIGQUIT"))) child.kill(signal);
  });
}
child = spawn(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
child.on("error", (error) => {
  console.error(`memoir: run ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + (os.constants.signals[signal] ?? 0)));
