// The list of client reports; each can be saved as a file.

import {byID, element, replaceWhereOther} from "../ui/dom.js";
import {attempt} from "../ui/notices.js";

export class Reports {
  #api; #list = byID("reports"); #count = byID("report-count");

  constructor(api) { this.#api = api; }

  async refresh() {
    const {issues, next} = await this.#api.issues();
    this.#count.textContent = next ? `the newest ${issues.length}` : String(issues.length);
    replaceWhereOther(this.#list, issues.length ? issues.map(issue => this.#row(issue)) : [element("li", {class: "empty"}, "No problems were reported.")]);
  }

  clear() { this.#list.replaceChildren(); }

  #row({id, head, bytes}) {
    return element("li", {data: {issue: id}},
                   element("time", {datetime: new Date(head.reportedAt).toISOString()}, new Date(head.reportedAt).toLocaleString()),
                   element("span", {class: "badge"}, `${head.app}/${head.session}`), element("span", {class: "note"}, head.note ?? "without a text"),
                   element("code", {}, id), element("button", {type: "button", data: {action: "save-report"}, "aria-label": `Save report ${id}`,
                                                               onclick: () => this.#save(id)}, `Save (${Math.ceil(bytes / 1024)} KiB)`));
  }

  #save(id) {
    return attempt(async () => {
      const url = URL.createObjectURL(await this.#api.issue(id));
      element("a", {href: url, download: `issue-${id}.json`}).click();
      // The browser has started the download by then.
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    });
  }
}
