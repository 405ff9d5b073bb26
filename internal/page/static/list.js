// A list of any length of which only the rows in sight exist.
import { chord, h } from "./dom.js";

let lists = 0;

// VirtualList shows rows of one height. row(i) makes the contents of a row; facts(i)
// gives the attributes of its element; open(i) is called by Enter and by a click.
export class VirtualList {
  constructor({ label, row, facts, open, role = "listbox", height = 32, keys }) {
    Object.assign(this, { row, facts, open, height, keys, item: role === "tree" ? "treeitem" : "option" });
    this.count = 0;
    this.at = 0;
    this.id = "list" + lists++;
    this.inner = h("div", { class: "rows", role: "presentation" });
    this.el = h("div", { class: "virtual", role, tabindex: "0", "aria-label": label, onscroll: () => this.paint(), onkeydown: (ev) => this.key(ev) }, this.inner);
    new ResizeObserver(() => this.paint()).observe(this.el);
  }

  // set says how many rows there are; they may all have changed.
  set(count) {
    this.count = count;
    this.at = Math.max(0, Math.min(this.at, count - 1));
    this.inner.style.height = count * this.height + "px";
    this.drawn = "";
    this.paint();
  }

  paint() {
    const first = Math.max(0, Math.floor(this.el.scrollTop / this.height) - 8);
    const last = Math.min(this.count, Math.ceil((this.el.scrollTop + this.el.clientHeight) / this.height) + 8);
    const now = first + " " + last + " " + this.at;
    if (now === this.drawn) return;
    this.drawn = now;
    const rows = [];
    for (let i = first; i < last; i++) {
      const el = h("div", { id: this.id + "-" + i, class: "row", role: this.item, "aria-selected": String(i === this.at), "aria-posinset": i + 1, "aria-setsize": this.count, onclick: () => { this.select(i); this.open(i); }, ...this.facts?.(i) }, this.row(i));
      el.style.top = i * this.height + "px";
      el.style.height = this.height + "px";
      rows.push(el);
    }
    this.inner.replaceChildren(...rows);
    if (this.count > 0 && this.at >= first && this.at < last) this.el.setAttribute("aria-activedescendant", this.id + "-" + this.at);
    else this.el.removeAttribute("aria-activedescendant");
  }

  select(i) {
    if (this.count === 0) return;
    this.at = Math.max(0, Math.min(i, this.count - 1));
    const top = this.at * this.height;
    if (top < this.el.scrollTop) this.el.scrollTop = top;
    else if (top + this.height > this.el.scrollTop + this.el.clientHeight) this.el.scrollTop = top + this.height - this.el.clientHeight;
    this.drawn = "";
    this.paint();
  }

  key(ev) {
    if (chord(ev)) return;
    const page = Math.max(1, Math.floor(this.el.clientHeight / this.height) - 1);
    const to = { ArrowDown: this.at + 1, ArrowUp: this.at - 1, j: this.at + 1, k: this.at - 1, Home: 0, End: this.count - 1, PageDown: this.at + page, PageUp: this.at - page }[ev.key];
    if (to !== undefined) this.select(to);
    else if (ev.key === "Enter" && this.count > 0) this.open(this.at);
    else if (!this.keys?.(ev, this.at)) return;
    ev.preventDefault();
    ev.stopPropagation();
  }
}
