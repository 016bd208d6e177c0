import CLinuxNet
import Forwarding
import Glibc
import MediaBase
import Transport

/// Sockets of one worker, with their receivers and senders: a pair for plain transports, and one port for all WebRTC peers.
final class WorkerSockets {
    enum Name {
        /// RTP of plain transports, and RTCP of those that multiplex it (RFC 5761).
        case rtp
        /// RTCP of plain transports that use a separate port.
        case rtcp
        case webRTC
    }

    /// Socket from which datagrams are received.
    enum Source {
        case rtp
        case rtcp
        case webRTC
        /// Separate socket for RTCP to the WebRTC port.
        case webRTCFeedback

        /// Port to which its datagrams were sent.
        var port: Name {
            switch self {
            case .rtp: .rtp
            case .rtcp: .rtcp
            case .webRTC, .webRTCFeedback: .webRTC
            }
        }
    }

    let rtp: Int32
    let rtcp: Int32
    let webRTC: Int32
    /// Socket of the WebRTC port at which RTCP arrives; -1 if it arrives at `webRTC`, because the kernel cannot sort datagrams.
    let webRTCFeedback: Int32
    let rtpPort: UInt16
    let rtcpPort: UInt16
    let webRTCPort: UInt16
    /// TCP connections of WebRTC peers whose networks block UDP; nil if TCP is disabled.
    let tcp: StreamSockets?
    /// Sender of complete Ethernet frames; nil unless the configuration has them and the kernel permits them.
    let rawSender: RawSender?
    private let rtpReceiver: OpaquePointer
    private let rtcpReceiver: OpaquePointer
    private let webRTCReceiver: OpaquePointer
    private let sender: OpaquePointer
    private var rtpSenders: SendSockets
    private var rtcpSenders: SendSockets
    private var webRTCSenders: SendSockets
    private let datagrams: UnsafeMutablePointer<millrace_datagram>
    private var isOpen = true
    static let receiveSlots = 32

    init(_ configuration: EngineConfiguration, worker: Int) throws(EngineError) {
        let pair = try UDPPortPair(configuration, worker: worker)
        let udp: (socket: Int32, port: UInt16)
        do throws(EngineError) {
            udp = try UDPPort.open(
                configuration,
                port: configuration.webRTC.port == 0 ? 0 : configuration.webRTC.port &+ UInt16(worker), coalesces: true)
        } catch {
            millrace_close(pair.rtp)
            millrace_close(pair.rtcp)
            throw error
        }
        (rtp, rtcp, rtpPort, rtcpPort) = (pair.rtp, pair.rtcp, pair.port, pair.rtcpPort)
        (webRTC, webRTCPort) = udp
        do throws(EngineError) {
            tcp = try Self.listen(configuration, port: udp.port)
        } catch {
            for descriptor in [pair.rtp, pair.rtcp, udp.socket] { millrace_close(descriptor) }
            throw error
        }
        webRTCFeedback = Self.separateRTCP(configuration, port: udp.socket)
        // Answers must leave from the address that the client sent to; clients drop answers from other addresses.
        for descriptor in [udp.socket, webRTCFeedback] where descriptor >= 0 { millrace_udp_tell_local(descriptor) }
        let gro = configuration.offload == .automatic && millrace_has_gro() == 1
        let slots = Int32(Self.receiveSlots)
        let slotBytes = gro ? 65_536 : Worker.maximumDatagram + 1
        guard
            let rtpReceiver = millrace_receiver_new(slots, slotBytes),
            let rtcpReceiver = millrace_receiver_new(slots, Worker.maximumDatagram + 1),
            let webRTCReceiver = millrace_receiver_new(slots, slotBytes),
            let sender = millrace_sender_new(1024)
        else { throw .systemCall(name: "mmap", errno: ENOMEM) }
        self.rtpReceiver = rtpReceiver
        self.rtcpReceiver = rtcpReceiver
        self.webRTCReceiver = webRTCReceiver
        self.sender = sender
        let sendBuffer = configuration.limits.sendBufferBytes
        rtpSenders = SendSockets(port: pair.rtp, sendBuffer: sendBuffer)
        rtcpSenders = SendSockets(port: pair.rtcp, sendBuffer: sendBuffer)
        webRTCSenders = SendSockets(
            port: udp.socket, sendBuffer: sendBuffer, separatesRTCP: webRTCFeedback >= 0)
        datagrams = .allocate(capacity: Self.receiveSlots)
        rawSender = Self.makeRawSender(configuration, socket: pair.rtp)
    }

    private static func makeRawSender(_ configuration: EngineConfiguration, socket: Int32) -> RawSender? {
        guard configuration.rawEgress == .automatic,
            let address = SocketAddress(configuration.bindAddress, port: 0)
        else { return nil }
        return RawSender(
            bound: address, socket: socket, sendBuffer: configuration.limits.sendBufferBytes,
            splits: configuration.offload == .automatic)
    }

    /// - Returns: the descriptor, or -1.
    private static func separateRTCP(_ configuration: EngineConfiguration, port: Int32) -> Int32 {
        guard configuration.webRTC.separatesRTCP, millrace_can_separate_rtcp() == 1 else { return -1 }
        return max(-1, millrace_udp_separate_rtcp(port, Int32(clamping: configuration.limits.receiveBufferBytes)))
    }

    /// Listens for TCP on the number of the UDP port. If the kernel picked that number and TCP cannot have it, any other port is used.
    private static func listen(_ configuration: EngineConfiguration, port: UInt16) throws(EngineError) -> StreamSockets?
    {
        guard configuration.webRTC.tcp else { return nil }
        do throws(EngineError) {
            return try StreamSockets(
                address: configuration.bindAddress, port: port, limits: configuration.webRTC.streams)
        } catch {
            guard configuration.webRTC.port == 0 else { throw error }
            return try StreamSockets(address: configuration.bindAddress, port: 0, limits: configuration.webRTC.streams)
        }
    }

    /// Closes the descriptors when the thread that uses them ends, so that an engine that is still referenced holds no port.
    func close() {
        guard isOpen else { return }
        isOpen = false
        tcp?.close()
        rtpSenders.close()
        rtcpSenders.close()
        webRTCSenders.close()
        for descriptor in [rtp, rtcp, webRTC, webRTCFeedback] { millrace_close(descriptor) }
    }

    deinit {
        close()
        millrace_receiver_free(rtpReceiver)
        millrace_receiver_free(rtcpReceiver)
        millrace_receiver_free(webRTCReceiver)
        millrace_sender_free(sender)
        datagrams.deallocate()
    }

    /// Runs the timers of TCP connections that are due.
    /// - Returns: the addresses of the connections that have ended. They are not handled when they end, because that may be in the middle of a
    ///   batch.
    func takeEndedConnections(now: MediaTime) -> [PeerAddress] {
        guard let tcp else { return [] }
        if let due = tcp.deadline, now >= due { tcp.housekeeping(now) }
        guard tcp.hasEnded else { return [] }
        return tcp.takeEnded().map { PeerAddress($0.remote, connection: $0.connection) }
    }

    /// Sends messages through the sockets that they name, without waiting.
    /// - Returns: the number of refused messages; their `error` is set.
    func send(
        _ messages: UnsafeMutableBufferPointer<EgressMessage>, _ name: Name, error: inout Int32, calls: inout UInt64
    ) -> Int {
        switch name {
        case .rtp: rtpSenders.send(messages, with: sender, error: &error, calls: &calls)
        case .rtcp: rtcpSenders.send(messages, with: sender, error: &error, calls: &calls)
        case .webRTC: webRTCSenders.send(messages, with: sender, error: &error, calls: &calls)
        }
    }

    /// Returns the number of sockets that send from a port.
    func senderCount(_ name: Name) -> Int {
        switch name {
        case .rtp: rtpSenders.count
        case .rtcp: rtcpSenders.count
        case .webRTC: webRTCSenders.count
        }
    }

    /// Returns the index of the socket that sends from a port to a peer.
    func socket(for address: PeerAddress, _ name: Name) -> UInt8 {
        switch name {
        case .rtp: rtpSenders.socket(for: address)
        case .rtcp: rtcpSenders.socket(for: address)
        case .webRTC: webRTCSenders.socket(for: address)
        }
    }

    /// Returns the datagrams that have arrived at a socket, without waiting. They are valid until the next call.
    func receive(_ source: Source, truncated: inout UInt32) -> UnsafeMutableBufferPointer<millrace_datagram> {
        switch source {
        case .rtp: receive(with: rtpReceiver, from: rtp, &truncated)
        case .rtcp: receive(with: rtcpReceiver, from: rtcp, &truncated)
        case .webRTC: receive(with: webRTCReceiver, from: webRTC, &truncated)
        case .webRTCFeedback: receive(with: rtcpReceiver, from: webRTCFeedback, &truncated)
        }
    }

    private func receive(
        with receiver: OpaquePointer, from descriptor: Int32, _ truncated: inout UInt32
    ) -> UnsafeMutableBufferPointer<millrace_datagram> {
        let count = millrace_receive(receiver, descriptor, datagrams, &truncated)
        return UnsafeMutableBufferPointer(start: datagrams, count: max(0, Int(count)))
    }
}
