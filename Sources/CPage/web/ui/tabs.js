// Tabs of the side panel, for mouse and arrow keys (tabs pattern of WAI-ARIA).

import {byID, element, icon, isShown} from "./dom.js";

export class Tabs {
  #tabs; #marks = new Map(); onChange = () => {};
  /// Called with the number of new items in all panels.
  onMark = () => {};

  /// `panels`: [{name, title, glyph}]; panel `name` is the element `panel-name`.
  constructor(list, panels) {
    this.#tabs = panels.map(({name, title, glyph}) => {
      const tab = element("button", {type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, data: {panel: name},
                                     onclick: () => this.select(name)}, icon(glyph), element("span", {}, title),
                          element("span", {class: "count", hidden: true}));
      byID(`panel-${name}`).setAttribute("aria-labelledby", tab.id);
      return tab;
    });
    list.replaceChildren(...this.#tabs);
    list.onkeydown = event => this.#onKey(event);
    this.select(panels[0].name);
  }

  select(name) {
    for (const tab of this.#tabs) {
      const isChosen = tab.dataset.panel === name;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      byID(`panel-${tab.dataset.panel}`).hidden = !isChosen;
    }
    this.onChange(name);
  }

  get selected() { return this.#tabs.find(tab => tab.getAttribute("aria-selected") === "true").dataset.panel; }

  /// Whether a panel is visible.
  shows(name) { return isShown(byID(`panel-${name}`)); }

  /// Shows the number of new items at a tab; screen readers read `words`.
  mark(name, count, words = "") {
    const badge = byID(`tab-${name}`).querySelector(".count");
    badge.hidden = !count;
    badge.replaceChildren(...count ? [element("span", {"aria-hidden": "true"}, count > 99 ? "99+" : String(count)),
                                      element("span", {class: "unseen"}, words)] : []);
    this.#marks.set(name, count);
    this.onMark([...this.#marks.values()].reduce((sum, one) => sum + one, 0));
  }

  #onKey(event) {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const at = this.#tabs.findIndex(tab => tab.getAttribute("aria-selected") === "true");
    const next = this.#tabs[(at + step + this.#tabs.length) % this.#tabs.length];
    this.select(next.dataset.panel);
    next.focus();
  }
}
