package import DTLS
package import Forwarding
package import MediaBase
package import SDP
package import Transport

/// A worker without thread, sockets and clock: its owner sets the time, passes in datagrams and takes those that it sends. Whole sessions
/// run in it as fast as the machine allows, and a seed makes each run repeatable.
///
/// ```swift
/// let relay = try VirtualWorker(configuration: configuration, seed: 1) { bytes, to in network.send(bytes, to: to) }
/// let answer = try relay.openWebRTC(request)
/// relay.receive(datagram, from: client, at: now)
/// relay.run(at: relay.deadline)
/// ```
package final class VirtualWorker {
    let worker: Worker
    private let io: VirtualIO
    private let sink: EventSink
    /// Events of streams and tracks; ends with `close`.
    package let events: AsyncStream<StreamEvent>

    /// - Parameters:
    ///   - identity: nil: a new one is generated, which takes a millisecond.
    ///   - transmit: takes each datagram to a WebRTC peer.
    package init(
        configuration: EngineConfiguration = EngineConfiguration(), identity: DTLSIdentity? = nil, seed: UInt64,
        now: MediaTime = .zero, transmit: @escaping (UnsafeRawBufferPointer, PeerAddress) -> Void
    ) throws(EngineError) {
        sink = EventSink()
        events = sink.addReader()
        io = VirtualIO(now: now) { bytes, name, to in if name == .webRTC { transmit(bytes, to) } }
        let identity =
            if let identity { identity } else { try MediaEngine.identity(configuration.webRTC.certificate) }
        worker = try Worker(
            index: 0, configuration: configuration, identity: identity, events: sink, virtual: io, seed: seed)
    }

    /// Time at which `run` is due next.
    package var deadline: MediaTime { max(io.now, worker.nextDeadline()) }

    /// Advances the time to `now` and runs what is due by then.
    package func run(at now: MediaTime) {
        io.now = max(io.now, now)
        worker.act()
        worker.taps.flush()
    }

    /// Simulated CPU time of the worker's thread, which by default uses none.
    package var threadTime: MediaTime {
        get { io.threadTime }
        set { io.threadTime = newValue }
    }

    /// Simulates refusals by the kernel: the cause for which a datagram to this address is not sent; nil: it is sent.
    package var refuse: ((PeerAddress) -> SendDropCause?)? {
        get { io.refuse }
        set { io.refuse = newValue }
    }

    /// Passes in a datagram on the WebRTC port.
    package func receive(_ datagram: UnsafeRawBufferPointer, from: PeerAddress, at now: MediaTime) {
        io.now = max(io.now, now)
        // The worker decrypts in place.
        withUnsafeTemporaryAllocation(byteCount: max(1, datagram.count), alignment: 8) { copy in
            copy.copyMemory(from: datagram)
            worker.counters.datagramsReceived &+= 1
            worker.receive(copy.baseAddress!, length: datagram.count, from: from, on: .webRTC, now: io.now)
        }
        run(at: now)
    }

    /// Simulates the close of a TCP connection that a peer used.
    package func disconnected(_ address: PeerAddress) { worker.disconnected(address, now: io.now) }

    // MARK: control calls, as in `MediaEngine`

    package func openWebRTC(_ request: WebRTCRequest) throws(EngineError) -> WebRTCAnswer {
        try worker.openWebRTC(request, worker.prepareForControl())
    }

    package func closeWebRTC(_ id: TransportID, session: String) throws(EngineError) {
        try worker.closeWebRTC(id, session: session, worker.prepareForControl())
    }

    package func restartICE(_ id: TransportID, session: String, peer credentials: ICECredentials) throws(EngineError)
        -> ICECredentials
    {
        _ = worker.prepareForControl()
        return try worker.restartICE(id, session: session, peer: credentials)
    }

    package func setLayer(_ id: TransportID, session: String, _ choice: LayerChoice) throws(EngineError) {
        try worker.setLayer(id, session: session, choice, worker.prepareForControl())
    }

    package func setMuted(session: String, stream: String, kind: MediaKind, muted: Bool) throws(EngineError) {
        try worker.setMuted(session, stream, kind, muted, worker.prepareForControl())
    }

    package func streams(session: String) throws(EngineError) -> [StreamSnapshot] { try worker.streams(session) }

    /// Closes all peers.
    package func close() {
        worker.closeAll()
        sink.finish()
    }

    package var counters: EngineCounters { worker.countersNow() }
}
