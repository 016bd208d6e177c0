import CLinuxNet

/// Thread that runs the participants' audio: receives datagrams as they arrive, and handles timers and sends audio every 5 ms.
final class VoiceThread: Sendable {
    private static let beat: Int64 = 5_000_000

    private let loop = WakeableThread()
    private let poller = millrace_poller_open()
    private let state = Locked(State())

    private struct State {
        var voices: [CrowdVoice] = []
        var failure: LoadError?
    }

    deinit { millrace_close(poller) }

    var failure: LoadError? { state.withLock { $0.failure } }

    func start() throws(LoadError) {
        try loop.start(name: "load-voices") { [self] in
            do throws(LoadError) { try run() } catch {
                state.withLock { $0.failure = error }
            }
        }
    }

    /// Closes the connections of all voices, and ends the thread.
    func stop() { loop.stop() }

    func add(_ voice: CrowdVoice) throws(LoadError) {
        let code = state.withLock { state -> Int32 in
            for (place, socket) in voice.sockets.enumerated() {
                let code = millrace_poller_add(poller, socket.descriptor, UInt64(state.voices.count * 2 + place))
                guard code == 0 else { return code }
            }
            state.voices.append(voice)
            return 0
        }
        guard code == 0 else { throw .system(call: "epoll_ctl", errno: -code) }
    }

    private func run() throws(LoadError) {
        let sender = try PacketSender()
        guard let receiver = millrace_receiver_new(8, 65_536) else { throw .system(call: "malloc", errno: 12) }
        defer { millrace_receiver_free(receiver) }
        var next: Int64 = 0
        while !loop.isStopping {
            let ready = millrace_wait([loop.event, poller], 2, max(0, next - LoadClock.now))
            if ready & 1 != 0 { loop.clear() }
            let voices = state.withLock { $0.voices }
            if ready & 2 != 0 { receive(voices, receiver) }
            let now = LoadClock.now
            guard now >= next else { continue }
            next = now + Self.beat
            for voice in voices { voice.beat(now: now, with: sender) }
        }
        for voice in state.withLock({ $0.voices }) { voice.close(with: sender) }
    }

    private func receive(_ voices: [CrowdVoice], _ receiver: OpaquePointer) {
        var tags = [UInt64](repeating: 0, count: 256)
        let count = millrace_poller_wait(poller, &tags, 256, 0)
        guard count > 0 else { return }
        for tag in tags[0..<Int(count)] where tag / 2 < voices.count {
            let (voice, place) = (voices[Int(tag / 2)], Int(tag % 2))
            withUnsafeTemporaryAllocation(of: millrace_datagram.self, capacity: 8) { datagrams in
                var truncated: UInt32 = 0
                let received = millrace_receive(
                    receiver, voice.sockets[place].descriptor, datagrams.baseAddress, &truncated)
                let now = LoadClock.now
                for i in 0..<max(0, Int(received)) {
                    let length = Int(datagrams[i].length)
                    let segment = datagrams[i].segment == 0 ? length : Int(datagrams[i].segment)
                    var offset = 0
                    while offset < length {
                        let end = min(length, offset + segment)
                        voice.receive(
                            UnsafeRawBufferPointer(start: datagrams[i].data + offset, count: end - offset), at: place,
                            from: datagrams[i].from, now: now)
                        offset = end
                    }
                }
            }
        }
    }
}
