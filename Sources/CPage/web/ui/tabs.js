// Tabs of the side panel, by mouse and arrow keys (WAI-ARIA's tabs).

import {byID, element, icon} from "./dom.js";

export class Tabs {
  #list; #tabs; onChange = () => {};

  /// `panels`: [{name, title, glyph}]; panel `name` is the element `panel-name`.
  constructor(list, panels) {
    this.#list = list;
    this.#tabs = panels.map(({name, title, glyph}) => {
      const tab = element("button", {type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, data: {panel: name},
                                     onclick: () => this.select(name)}, icon(glyph), element("span", {}, title));
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

  #onKey(event) {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const at = this.#tabs.findIndex(tab => tab.getAttribute("aria-selected") === "true");
    const next = this.#tabs[(at + step + this.#tabs.length) % this.#tabs.length];
    this.select(next.dataset.panel);
    next.focus();
  }
}
