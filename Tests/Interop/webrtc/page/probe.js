// Runs in the page at `/` and observes it as a user would: names, video, audio. Provides `window.probe`.
window.probe = (() => {
  const tile = name => [...document.querySelectorAll(".tile")].find(one => one.querySelector(".name").textContent === name);
  const row = name => [...document.querySelectorAll(".people li")].find(one => [name, `${name} (you)`].includes(one.querySelector(".name").textContent));
  const shown = node => !!node && !node.hidden && node.getClientRects().length > 0;
  const button = (action, root = document) => [...root.querySelectorAll(`[data-action="${action}"]`)].find(shown);

  // Returns the colour of a corner of the video, in degrees; null if it is black, white or grey.
  const hue = video => {
    const context = new OffscreenCanvas(32, 18).getContext("2d");
    context.drawImage(video, 0, 0, 32, 18);
    const [r, g, b] = context.getImageData(3, 3, 1, 1).data, most = Math.max(r, g, b), span = most - Math.min(r, g, b);
    if (span < 40) return null;
    const turn = most === r ? (g - b) / span % 6 : most === g ? (b - r) / span + 2 : (r - g) / span + 4;
    return Math.round((turn * 60 + 360) % 360);
  };

  // Returns the browser's counters of a tile's track; empty before its first packet.
  const received = async (node, kind) => {
    const report = await window.millrace?.subscriber?.receiver(node?.dataset.stream, kind)?.getStats();
    return [...report?.values() ?? []].find(stats => stats.type === "inbound-rtp") ?? {};
  };

  const violations = [];
  document.addEventListener("securitypolicyviolation", event => violations.push(`${event.violatedDirective} ${event.blockedURI}`));

  return {
    // Sends media to this address from now on: it replaces the relay's UDP candidates, and the TCP candidates are removed.
    detour: (address, port) => {
      const set = RTCPeerConnection.prototype.setRemoteDescription;
      RTCPeerConnection.prototype.setRemoteDescription = function ({type, sdp}) {
        const lines = sdp.split("\r\n").filter(line => !/^a=candidate:\S+ \d+ tcp /i.test(line));
        const changed = lines.map(line => line.replace(/^(a=candidate:(?:\S+ ){4})\S+ \d+/, (_, kept) => `${kept}${address} ${port}`));
        return set.call(this, {type, sdp: changed.join("\r\n")});
      };
    },
    // Records, from the next join on, when encrypted media began to arrive and when a failure to decrypt it was reported, in milliseconds: `before`,
    // the last time without a packet; `told`, when the session told of a failure, and its `reason`.
    watchFailures: () => {
      const times = window.failureTimes = {before: null, told: null, reason: ""}, now = () => Math.round(performance.now());
      let session;
      const poll = async () => {
        const asked = now(), report = await session.subscriber?.connection?.getStats();
        if ([...report?.values() ?? []].some(stats => stats.type === "inbound-rtp" && stats.packetsReceived > 0)) return;
        times.before = asked;
        setTimeout(poll, 20);
      };
      Object.defineProperty(window, "millrace", {get: () => session, set: value => {
        session = value;
        session.addEventListener("encryptionFailed", ({detail}) => { if (times.told === null) [times.told, times.reason] = [now(), detail.reason]; });
        poll();
      }});
    },
    failureTimes: () => window.failureTimes,
    // Returns the violations of the page's own content security policy.
    violations: () => violations,
    names: () => [...document.querySelectorAll(".tile .name")].map(one => one.textContent).sort(),
    // Returns what is shown of a participant. Firefox without a screen counts no frames as shown, so its decoded frames count.
    seen: async name => {
      const node = tile(name);
      if (!node) return null;
      const video = node.querySelector("video");
      const frames = video.getVideoPlaybackQuality().totalVideoFrames || (await received(node, "video")).framesDecoded || 0;
      return {frames, width: video.videoWidth, isShown: getComputedStyle(video).opacity === "1",
              hue: video.videoWidth ? hue(video) : null, isMuted: shown(node.querySelector(".mark")), isSpeaking: node.classList.contains("is-speaking"),
              note: shown(node.querySelector(".note")) ? node.querySelector(".note").textContent : "", facts: node.querySelector(".facts").textContent,
              role: shown(node.querySelector(".badge")) ? node.querySelector(".badge").textContent : "", stream: node.dataset.stream,
              isLarge: node.classList.contains("is-large")};
    },
    // Returns the decoded frames per second of a participant over a time, and the longest time without a new one in milliseconds; of the
    // own encoded frames if there is no name.
    flow: async (name, seconds) => {
      const count = async () => {
        if (name) return (await received(tile(name), "video")).framesDecoded ?? 0;
        const report = await window.millrace.publisher.connection.getStats();
        return Math.max(0, ...[...report.values()].map(stats => stats.type === "outbound-rtp" && stats.framesEncoded || 0));
      };
      const began = performance.now(), first = await count();
      let last = first, changed = began, gap = 0, now = began;
      while (now - began < seconds * 1000) {
        await new Promise(done => setTimeout(done, 40));
        const frames = await count();
        now = performance.now();
        gap = Math.max(gap, now - changed);
        if (frames > last) [last, changed] = [frames, now];
      }
      const {packetsLost, nackCount, pliCount, keyFramesDecoded} = name ? await received(tile(name), "video") : {};
      return {rate: Math.round((last - first) / (now - began) * 10000) / 10, gap: Math.round(gap), packetsLost, nackCount, pliCount, keyFramesDecoded};
    },
    // Returns energy and packets of a participant's received audio, since the beginning.
    heard: async name => {
      const stats = await received(tile(name), "audio");
      return {energy: stats.totalAudioEnergy ?? 0, seconds: stats.totalSamplesDuration ?? 0, packets: stats.packetsReceived ?? 0};
    },
    person: name => {
      const node = row(name);
      return node ? {...node.dataset, marks: [...node.querySelectorAll(".mark")].map(one => one.textContent), badges: [...node.querySelectorAll(".badge")].map(one => one.textContent)} : null;
    },
    has: action => !!button(action),
    // Presses a button; one that does not fit into the toolbar is an entry of its menu "More".
    press: action => {
      let found = button(action);
      if (!found && button("more")) {
        button("more").click();
        found = button(action, document.querySelector('[role="menu"]'));
        if (!found) document.body.click();
      }
      if (!found || found.disabled) return false;
      found.click();
      return true;
    },
    more: () => {
      button("more").click();
      const names = [...document.querySelectorAll('[role="menu"] [role="menuitem"]')].map(one => one.dataset.action);
      document.body.click();
      return names;
    },
    // Opens a participant's menu and selects an entry; returns the available entries.
    menu: (name, action) => {
      row(name)?.querySelector('[data-action="menu"]').click();
      const entries = [...document.querySelectorAll('[role="menu"] [role="menuitem"]')], names = entries.map(one => one.dataset.action);
      const entry = entries.find(one => one.dataset.action === action);
      if (entry) entry.click();
      else document.body.click();
      return names;
    },
    moderate: action => {
      const opener = button("session") ?? button("more");
      if (!opener) return [];
      opener.click();
      const entries = [...document.querySelectorAll('[role="menu"] [role="menuitem"]')], names = entries.map(one => one.dataset.action);
      const entry = entries.find(one => one.dataset.action === action);
      if (entry) entry.click();
      else document.body.click();
      return names;
    },
    // Answers the open dialog.
    answer: (value, text) => {
      const dialog = document.querySelector("dialog[open]");
      if (!dialog) return false;
      if (text !== undefined) dialog.querySelector("[name=answer]").value = text;
      dialog.querySelector(`button[value="${value}"]`).click();
      return true;
    },
    // Returns the names of all shown controls that are cut off by the window or by their panel.
    cutOff: () => [...document.querySelectorAll("#session button, #session .name, #join button, dialog button, dialog input, dialog select")].filter(node => {
      if (!shown(node) || node.closest(".message-log, .stage") || getComputedStyle(node).clipPath !== "none") return false;
      const rect = node.getBoundingClientRect(), panel = node.closest("[role=tabpanel]")?.getBoundingClientRect();
      const left = Math.max(0, panel?.left ?? 0), right = Math.min(innerWidth, panel?.right ?? innerWidth);
      return rect.left < left - 1 || rect.right > right + 1 || (!panel && !node.closest("dialog") && (rect.top < -1 || rect.bottom > innerHeight + 1));
    }).map(node => `${node.dataset.action ?? node.className} ${node.textContent}`.trim().slice(0, 40)),
    // Returns the names of the tiles whose buttons cover their name.
    covered: () => [...document.querySelectorAll(".tile")].filter(one => {
      const name = one.querySelector(".name").getBoundingClientRect();
      return [...one.querySelectorAll(".tile-tools button")].some(tool => {
        const rect = tool.getBoundingClientRect();
        return rect.left < name.right && rect.right > name.left && rect.top < name.bottom && rect.bottom > name.top;
      });
    }).map(one => one.querySelector(".name").textContent),
    // Returns icons that two buttons of the toolbar share.
    twins: () => {
      const icons = [...document.querySelectorAll("#toolbar button")].filter(shown).map(one => one.querySelector("path").getAttribute("d"));
      return icons.filter((one, index) => icons.indexOf(one) !== index).length;
    },
    links: () => [...document.querySelectorAll("#panel-chat .what a")].map(one => [one.href, one.textContent, one.rel, one.target]),
    dialog: () => document.querySelector("dialog[open]")?.textContent ?? "",
    fill: (form, values) => {
      for (const [name, value] of Object.entries(values)) {
        const field = document.querySelector(form).elements[name];
        if (field.type === "checkbox") field.checked = value;
        else field.value = value;
        field.dispatchEvent(new Event("input", {bubbles: true}));
      }
      document.querySelector(form).requestSubmit();
    },
    tab: name => document.getElementById(`tab-${name}`).click(),
    signals: () => [...document.querySelectorAll(".log li")].map(one => [one.querySelector(".who").textContent, one.querySelector("code").textContent, one.querySelector(".what").textContent]),
    notices: () => [...document.querySelectorAll(".notice > span")].map(one => one.textContent),
    text: id => shown(document.getElementById(id)) ? document.getElementById(id).textContent : "",
    status: () => window.millrace?.status ?? "",
    // Returns why the page has not joined: the form's message, and the state of the page.
    why: () => {
      const missing = performance.getEntriesByType("resource").filter(one => one.responseStatus !== 200).map(one => `${one.name} ${one.responseStatus}`);
      return [document.getElementById("join-error").textContent, document.readyState, document.getElementById("join-button").textContent, ...missing].join("; ");
    },
  };
})();
true;
