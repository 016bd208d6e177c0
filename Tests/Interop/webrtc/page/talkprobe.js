// Observes rooms, chat and conversations of the page at `/`; extends `window.probe`.
Object.assign(window.probe, (() => {
  const shown = node => !!node && !node.hidden && node.getClientRects().length > 0;
  const text = (node, selector) => node.querySelector(selector)?.textContent ?? "";
  const idOf = name => [...window.millrace.state.users.values()].find(user => user.name === name)?.id;
  const card = name => [...document.querySelectorAll(".subsession-card")].find(one => one.dataset.name === name);
  const row = name => [...document.querySelectorAll(".conversation-list li")].find(one => one.querySelector(".name").textContent.startsWith(name));
  const messages = selector => [...document.querySelectorAll(`${selector} .messages > li`)].map(one => one.classList.contains("divider") ? ["--",
      one.textContent] :
    [text(one, ".who"), text(one, ".what"), text(one, ".badge"), one.dataset.status].slice(0, one.dataset.status ? 4 : 3));
  let analysis = null;

  return {
    location: () => shown(document.getElementById("subsession-banner")) ? document.querySelector("#subsession-banner [role=status]").textContent : "",
    rooms: () => Object.fromEntries([...document.querySelectorAll(".subsession-card")].filter(shown).map(one => [one.dataset.name,
        shown(one.querySelector(".who-list")) ? text(one, ".who-list") : ""])),
    canEnter: name => shown(card(name)?.querySelector("[data-action=join-subsession]")),
    enter: name => card(name)?.querySelector("[data-action=join-subsession]").click(),
    // Returns the received packets of a participant's audio, even while the page does not show the participant.
    packets: async name => {
      const {state, subscriber} = window.millrace, stream = state.streamsOf(idOf(name)).find(one => one.videoType === "camera");
      const report = await subscriber.receiver(stream?.id, "audio")?.getStats();
      return [...report?.values() ?? []].find(stats => stats.type === "inbound-rtp")?.packetsReceived ?? 0;
    },
    // Returns which of these tones the page plays, in Hz: the loudest level of each over half a second, in dB.
    tones: async hertz => {
      analysis ??= new AudioContext({sampleRate: 48000});
      await analysis.resume();
      const analyser = new AnalyserNode(analysis, {fftSize: 16384, smoothingTimeConstant: 0}), bins = new Float32Array(analyser.frequencyBinCount);
      const played = [...document.querySelectorAll(".tile video")].filter(video => !video.muted && !video.paused &&
                                                                          video.srcObject?.getAudioTracks().length);
      const sources = played.map(video => analysis.createMediaStreamSource(video.srcObject)), levels = hertz.map(() => -200);
      for (const source of sources) source.connect(analyser);
      // The first transforms contain silence from before.
      await new Promise(done => setTimeout(done, 450));
      for (let round = 0; round < 3; round++) {
        await new Promise(done => setTimeout(done, 100));
        analyser.getFloatFrequencyData(bins);
        hertz.forEach((one, index) => { levels[index] = Math.max(levels[index], bins[Math.round(one * 16384 / 48000)]); });
      }
      for (const source of sources) source.disconnect();
      return levels.map(level => Number.isFinite(level) ? Math.round(level) : -200);
    },
    chat: () => messages("#panel-chat"),
    thread: () => messages("#panel-messages"),
    receivers: () => [...document.querySelectorAll("#panel-chat select option")].map(one => one.textContent),
    say: (panel, words, to) => {
      const form = document.querySelector(`#panel-${panel} .compose`);
      if (!form) return false;
      if (to !== undefined) form.elements.to.value = [...form.elements.to.options].find(option => option.textContent === to).value;
      form.elements.text.value = words;
      form.requestSubmit();
      return true;
    },
    mayWrite: panel => document.querySelector(`#panel-${panel} .compose textarea`)?.disabled === false,
    // Returns name -> [unread, last message, do not disturb].
    conversations: () => Object.fromEntries([...document.querySelectorAll(".conversation-list li")].map(one => [text(one,
        ".name").replace("do not disturb", ""),
      [Number(one.dataset.unread), text(one, ".said"), one.classList.contains("is-muted")]])),
    // Returns the rows from top to bottom: [type, name, seconds since the last message, additional text for screen readers].
    rows: () => [...document.querySelectorAll(".conversation-list li")].map(one => {
      const time = one.querySelector("time")?.dateTime;
      return [one.dataset.key.split(":")[0], text(one, ".name"), time ? Math.round((Date.now() - Date.parse(time)) / 1000) : null,
              [...one.querySelectorAll(".unseen")].map(node => node.textContent)];
    }),
    // Returns the heading of the open conversation.
    head: () => [text(document, ".conversation-head h3"), text(document, ".conversation-head .hint")],
    typed: panel => document.querySelector(`#panel-${panel} .compose textarea`)?.value ?? "",
    open: name => row(name)?.querySelector(".open").click(),
    // Selects an entry of a conversation's menu; returns the available entries.
    conversationMenu: (name, action) => {
      (name ? row(name)?.querySelector("[data-action=menu]") : document.querySelector("[data-action=conversation-menu]"))?.click();
      const entries = [...document.querySelectorAll('[role="menu"] [role="menuitem"]')], names = entries.map(one => one.dataset.action);
      const entry = entries.find(one => one.dataset.action === action);
      if (entry) entry.click();
      else document.body.click();
      return names;
    },
    scrollUp: panel => {
      const log = document.querySelector(`#panel-${panel} .message-log`);
      log.scrollTop = 0;
      log.dispatchEvent(new Event("scroll"));
    },
    // Returns the number of new messages that a tab shows.
    count: tab => { const badge = document.querySelector(`#tab-${tab} .count`); return badge.hidden ? 0 : Number(badge.firstChild.textContent); },
    // Fills in the open dialog and confirms it.
    dialogue: values => {
      const form = document.querySelector("dialog[open] form");
      for (const [name, value] of Object.entries(values)) form.elements[name].value = value;
      form.requestSubmit(form.querySelector("button[value=yes]"));
    },
    code: () => document.querySelector("dialog[open] .code")?.textContent ?? "",
  };
})());
true;
