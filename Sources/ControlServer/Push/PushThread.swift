import CLinuxNet
import DTLS
import MediaBase
import MediaEngine
import WebRTCClient

/// Loop of one push on a thread of its own: packets of the source, datagrams and timers of the connection, and the
/// effects of `PushMachine`.
final class PushThread {
    private let source: PushSource
    private let caller: PushCaller
    private let mailbox: PushMailbox
    private let notify: @Sendable (PushReport) -> Void
    private var machine: PushMachine
    private var peer: PushPeer?
    private var kinds: Set<MediaKind>
    private var codec: VideoCodec?
    private var keyFrameAskedAt: MediaTime?
    private var nextChoice = MediaTime.zero

    private static let longestWait = MediaTime.milliseconds(500)
    private static let keyFrameInterval = MediaTime.milliseconds(500)
    private static let choiceInterval = MediaTime.milliseconds(100)
    /// Packets that are sent before datagrams are read again.
    private static let packetsPerTurn = 256

    init(
        url: String, source: PushSource, caller: PushCaller, mailbox: PushMailbox,
        notify: @escaping @Sendable (PushReport) -> Void
    ) {
        self.source = source
        self.caller = caller
        self.mailbox = mailbox
        self.notify = notify
        machine = PushMachine(url: url)
        kinds = source.kinds
        codec = source.codec
    }

    /// Runs the push on a new thread until it is stopped or its source ends, and its resource is deleted.
    /// - Returns: errno; 0 if the thread was started.
    static func start(_ thread: sending PushThread, _ ended: @escaping @Sendable () -> Void) -> Int32 {
        DetachedThread.run("millrace-push") {
            thread.run()
            ended()
        }
    }

    private static var now: MediaTime { .nanoseconds(millrace_monotonic_ns()) }

    private func run() {
        machine.start()
        performEffects()
        while !machine.isEnded {
            let deadline = min(machine.deadline, peer?.deadline ?? .never)
            let wait = min(max(deadline - Self.now, .zero), Self.longestWait)
            source.tap.wait(timeout: wait, orReadable: [mailbox.event] + (peer?.descriptors ?? []))
            for message in mailbox.take() {
                switch message {
                case .answered(let call, let result): machine.answered(call: call, result, now: Self.now)
                case .stop: machine.stop()
                }
            }
            peer?.receive(now: Self.now)
            forward()
            if source.tap.isClosed, source.tap.isEmpty { machine.stop() }
            peer?.handleTimeout(now: Self.now)
            takeEvents()
            chooseEncoding()
            machine.handleTimeout(now: Self.now)
            performEffects()
        }
        source.tap.close()
        peer?.close(now: Self.now)
    }

    /// Sends the packets that wait. Until the connection is established they are dropped.
    private func forward() {
        let now = Self.now
        for _ in 0..<Self.packetsPerTurn {
            let isOffered = source.tap.next { packet -> Bool in
                if packet.kind == .video, codec != packet.codec { codec = packet.codec }
                kinds.insert(packet.kind)
                guard let peer else { return true }
                guard peer.kinds.contains(packet.kind), packet.kind == .audio || peer.codec == packet.codec else {
                    return false
                }
                peer.send(
                    PushTracks.Packet(
                        kind: packet.kind, sequence: packet.sequence, timestamp: packet.timestamp,
                        marker: packet.marker, arrival: packet.arrival, captureNTP: packet.captureNTP,
                        payload: packet.payload), now: now)
                return true
            }
            guard let isOffered else { return }
            // The stream has another track or codec than the offer.
            if !isOffered { machine.renew(now: now) }
        }
    }

    private func takeEvents() {
        for event in peer?.takeEvents() ?? [] {
            switch event {
            case .connected:
                machine.connected(now: Self.now)
                requestKeyFrame()
            case .keyFrameWanted: requestKeyFrame()
            case .pathLost: machine.pathLost(now: Self.now)
            case .pathRestored: machine.pathRestored(now: Self.now)
            case .networkChanged: machine.networkChanged(now: Self.now)
            case .failed(let failure): machine.failed(failure, now: Self.now)
            }
        }
    }

    /// Chooses the encoding of simulcast that fits the path. Without a connection the last choice stays.
    private func chooseEncoding() {
        let now = Self.now
        guard machine.isLive, now >= nextChoice, let peer else { return }
        nextChoice = now + Self.choiceInterval
        source.tap.maximumEncoding = peer.chooseEncoding(source.tap.encodingRates, now: now)
    }

    private func requestKeyFrame() {
        let now = Self.now
        if let keyFrameAskedAt, now - keyFrameAskedAt < Self.keyFrameInterval { return }
        keyFrameAskedAt = now
        source.requestKeyFrame()
    }

    private func performEffects() {
        var effects = machine.takeEffects()
        while !effects.isEmpty {
            for effect in effects { perform(effect) }
            effects = machine.takeEffects()
        }
    }

    private func perform(_ effect: PushMachine.Effect) {
        switch effect {
        case .connect:
            do throws(DTLSFailure) {
                peer = try PushPeer(kinds: kinds, codec: codec, rules: caller.rules)
            } catch {
                machine.failed(.local("\(error)"), now: Self.now)
            }
        case .post(let call, let url):
            guard let offer = peer?.offer else { return }
            make(call) { await $0.post(offer, to: url) }
        case .delete(let call, let url): make(call) { await $0.delete(url) }
        case .accept(let answer):
            peer?.accept(answer, now: Self.now)
            takeEvents()
            if peer?.announcesCandidates == true { machine.gathered() }
        case .patchCandidates(let call, let url, let tag):
            guard let fragment = peer?.fragment() else { return }
            make(call) { await $0.patch(url, with: fragment, ifMatch: tag.text) }
        case .patchRestart(let call, let url):
            guard let fragment = peer?.offerRestart() else { return }
            make(call) { await $0.patch(url, with: fragment, ifMatch: "*") }
        case .resume(let answer):
            peer?.resume(answer, now: Self.now)
            takeEvents()
        case .abandonRestart: peer?.abandonRestart()
        case .addCandidates(let fragment): peer?.addCandidates(fragment, now: Self.now)
        case .disconnect:
            peer?.close(now: Self.now)
            peer = nil
        case .report(let report): notify(report)
        }
    }

    /// Makes a call, whose result goes to the machine.
    private func make(_ call: UInt64, _ body: @escaping @Sendable (PushCaller) async -> Result<PushAnswer, PushFailure>)
    {
        Task { [caller, mailbox] in mailbox.post(.answered(call: call, await body(caller))) }
    }
}
