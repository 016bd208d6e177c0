// Runs in the page at `/` and looks at it as a user would: names, pictures, sound. Gives `window.probe`.
window.probe = (() => {
  const tile = name => [...document.querySelectorAll(".tile")].find(one => one.querySelector(".name").textContent === name);
  const row = name => [...document.querySelectorAll(".people li")].find(one => [name, `${name} (you)`].includes(one.querySelector(".name").textContent));
  const shown = node => !!node && !node.hidden && node.getClientRects().length > 0;
  const button = (action, place = document) => [...place.querySelectorAll(`[data-action="${action}"]`)].find(shown);

  // Colour of a corner of the picture, in degrees; null where it is black, white or grey.
  const hue = video => {
    const context = new OffscreenCanvas(32, 18).getContext("2d");
    context.drawImage(video, 0, 0, 32, 18);
    const [r, g, b] = context.getImageData(3, 3, 1, 1).data, most = Math.max(r, g, b), span = most - Math.min(r, g, b);
    if (span < 40) return null;
    const turn = most === r ? (g - b) / span % 6 : most === g ? (b - r) / span + 2 : (r - g) / span + 4;
    return Math.round((turn * 60 + 360) % 360);
  };

  // What the browser counts of a tile's track; nothing before its first packet.
  const received = async (node, kind) => {
    const report = await window.millrace?.subscriber?.receiver(node?.dataset.stream, kind)?.getStats();
    return [...report?.values() ?? []].find(stats => stats.type === "inbound-rtp") ?? {};
  };

  const violations = [];
  document.addEventListener("securitypolicyviolation", event => violations.push(`${event.violatedDirective} ${event.blockedURI}`));

  return {
    // Media goes by this address from now on: the relay's candidates for UDP name it, those for TCP are left out.
    detour: (address, port) => {
      const set = RTCPeerConnection.prototype.setRemoteDescription;
      RTCPeerConnection.prototype.setRemoteDescription = function ({type, sdp}) {
        const lines = sdp.split("\r\n").filter(line => !/^a=candidate:\S+ \d+ tcp /i.test(line));
        const changed = lines.map(line => line.replace(/^(a=candidate:(?:\S+ ){4})\S+ \d+/, (_, kept) => `${kept}${address} ${port}`));
        return set.call(this, {type, sdp: changed.join("\r\n")});
      };
    },
    // What the page's own policy refused it.
    violations: () => violations,
    names: () => [...document.querySelectorAll(".tile .name")].map(one => one.textContent).sort(),
    // What is seen of somebody. Firefox without a screen counts no frames as shown: there those count that were decoded.
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
    // Energy and packets of what is heard of somebody, since the beginning.
    heard: async name => {
      const stats = await received(tile(name), "audio");
      return {energy: stats.totalAudioEnergy ?? 0, seconds: stats.totalSamplesDuration ?? 0, packets: stats.packetsReceived ?? 0};
    },
    person: name => {
      const node = row(name);
      return node ? {...node.dataset, marks: [...node.querySelectorAll(".mark")].map(one => one.textContent), badges: [...node.querySelectorAll(".badge")].map(one => one.textContent)} : null;
    },
    has: action => !!button(action),
    // Presses a button; one that the toolbar has no room for is an entry of its menu "More".
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
    // Opens somebody's menu and takes an entry; what there was to take.
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
    // Answers the dialog that is open.
    answer: (value, text) => {
      const dialog = document.querySelector("dialog[open]");
      if (!dialog) return false;
      if (text !== undefined) dialog.querySelector("[name=answer]").value = text;
      dialog.querySelector(`button[value="${value}"]`).click();
      return true;
    },
    // Names of what is cut off by the window, or by the panel that it is in, of all controls that are shown.
    cutOff: () => [...document.querySelectorAll("#room button, #room .name, #join button, dialog button, dialog input, dialog select")].filter(node => {
      if (!shown(node) || node.closest(".message-log, .stage") || getComputedStyle(node).clipPath !== "none") return false;
      const rect = node.getBoundingClientRect(), panel = node.closest("[role=tabpanel]")?.getBoundingClientRect();
      const left = Math.max(0, panel?.left ?? 0), right = Math.min(innerWidth, panel?.right ?? innerWidth);
      return rect.left < left - 1 || rect.right > right + 1 || (!panel && !node.closest("dialog") && (rect.top < -1 || rect.bottom > innerHeight + 1));
    }).map(node => `${node.dataset.action ?? node.className} ${node.textContent}`.trim().slice(0, 40)),
    // Names of the tiles whose buttons lie over their name.
    covered: () => [...document.querySelectorAll(".tile")].filter(one => {
      const name = one.querySelector(".name").getBoundingClientRect();
      return [...one.querySelectorAll(".tile-tools button")].some(tool => {
        const rect = tool.getBoundingClientRect();
        return rect.left < name.right && rect.right > name.left && rect.top < name.bottom && rect.bottom > name.top;
      });
    }).map(one => one.querySelector(".name").textContent),
    // Icons that two buttons of the toolbar have in common.
    twins: () => {
      const icons = [...document.querySelectorAll("#toolbar button")].filter(shown).map(one => one.querySelector("path").getAttribute("d"));
      return icons.filter((one, index) => icons.indexOf(one) !== index).length;
    },
    links: () => [...document.querySelectorAll("#panel-chat .what a")].map(one => [one.href, one.textContent, one.rel, one.target]),
    dialog: () => document.querySelector("dialog[open]")?.textContent ?? "",
    fill: (form, values) => {
      for (const [name, value] of Object.entries(values)) {
        const field = document.querySelector(form).elements[name];
        field.value = value;
        field.dispatchEvent(new Event("input", {bubbles: true}));
      }
      document.querySelector(form).requestSubmit();
    },
    tab: name => document.getElementById(`tab-${name}`).click(),
    signals: () => [...document.querySelectorAll(".log li")].map(one => [one.querySelector(".who").textContent, one.querySelector("code").textContent, one.querySelector(".what").textContent]),
    notices: () => [...document.querySelectorAll(".notice > span")].map(one => one.textContent),
    text: id => shown(document.getElementById(id)) ? document.getElementById(id).textContent : "",
    status: () => window.millrace?.status ?? "",
    // Why one is not in: what the form says, and where it stands.
    why: () => {
      const missing = performance.getEntriesByType("resource").filter(one => one.responseStatus !== 200).map(one => `${one.name} ${one.responseStatus}`);
      return [document.getElementById("join-error").textContent, document.readyState, document.getElementById("join-button").textContent, ...missing].join("; ");
    },
  };
})();
true;
