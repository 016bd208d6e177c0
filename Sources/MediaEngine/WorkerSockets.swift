import CLinuxNet
import Forwarding
import Glibc
import MediaBase

/// Sockets of one worker, with their receivers and senders: a pair for plain transports, and one port for all WebRTC peers.
final class WorkerSockets {
    enum Name {
        /// RTP of plain transports, and RTCP of those that multiplex it (RFC 5761).
        case rtp
        /// RTCP of plain transports that use a separate port.
        case rtcp
        case webRTC
    }

    let rtp: Int32
    let rtcp: Int32
    let webRTC: Int32
    let rtpPort: UInt16
    let rtcpPort: UInt16
    let webRTCPort: UInt16
    /// TCP connections of WebRTC peers whose networks block UDP; nil if TCP is disabled.
    let tcp: StreamSockets?
    private let rtpReceiver: OpaquePointer
    private let rtcpReceiver: OpaquePointer
    private let webRTCReceiver: OpaquePointer
    let sender: OpaquePointer
    private let rtpSenders: SendSockets
    private let rtcpSenders: SendSockets
    private let webRTCSenders: SendSockets
    private let datagrams: UnsafeMutablePointer<millrace_datagram>
    private var isOpen = true
    static let receiveSlots = 32

    init(_ configuration: EngineConfiguration, worker: Int) throws(EngineError) {
        let pair = try UDPPortPair(configuration, worker: worker)
        let door: (socket: Int32, port: UInt16)
        do throws(EngineError) {
            door = try UDPPort.open(
                configuration,
                port: configuration.webRTC.port == 0 ? 0 : configuration.webRTC.port &+ UInt16(worker), coalesces: true)
        } catch {
            millrace_close(pair.rtp)
            millrace_close(pair.rtcp)
            throw error
        }
        (rtp, rtcp, rtpPort, rtcpPort) = (pair.rtp, pair.rtcp, pair.port, pair.rtcpPort)
        (webRTC, webRTCPort) = door
        do throws(EngineError) {
            tcp = try Self.listen(configuration, port: door.port)
        } catch {
            for descriptor in [pair.rtp, pair.rtcp, door.socket] { millrace_close(descriptor) }
            throw error
        }
        // Answers must leave from the address that the client sent to; clients drop answers from other addresses.
        millrace_udp_tell_local(door.socket)
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
        webRTCSenders = SendSockets(port: door.socket, sendBuffer: sendBuffer)
        datagrams = .allocate(capacity: Self.receiveSlots)
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
        for senders in [rtpSenders, rtcpSenders, webRTCSenders] { senders.close() }
        for descriptor in [rtp, rtcp, webRTC] { millrace_close(descriptor) }
    }

    deinit {
        close()
        millrace_receiver_free(rtpReceiver)
        millrace_receiver_free(rtcpReceiver)
        millrace_receiver_free(webRTCReceiver)
        millrace_sender_free(sender)
        datagrams.deallocate()
    }

    func descriptor(_ name: Name) -> Int32 {
        switch name {
        case .rtp: rtp
        case .rtcp: rtcp
        case .webRTC: webRTC
        }
    }

    /// Sends messages through the sockets that they name, without waiting.
    /// - Returns: the number of refused messages; their `error` is set.
    func send(
        _ messages: UnsafeMutablePointer<EgressMessage>, _ count: Int, _ name: Name, _ error: inout Int32,
        _ calls: inout UInt64
    ) -> Int {
        let senders = senders(name)
        return Int(
            millrace_send_now(
                sender, senders.descriptors, Int32(senders.count),
                UnsafeMutableRawPointer(messages).assumingMemoryBound(to: millrace_message.self), Int32(count),
                &error, &calls))
    }

    /// Returns the sockets that send from a port.
    func senders(_ name: Name) -> SendSockets {
        switch name {
        case .rtp: rtpSenders
        case .rtcp: rtcpSenders
        case .webRTC: webRTCSenders
        }
    }

    /// Returns the datagrams that have arrived, without waiting. They are valid until the next call.
    func receive(_ name: Name, truncated: inout UInt32) -> UnsafeMutableBufferPointer<millrace_datagram> {
        let receiver =
            switch name {
            case .rtp: rtpReceiver
            case .rtcp: rtcpReceiver
            case .webRTC: webRTCReceiver
            }
        let count = millrace_receive(receiver, descriptor(name), datagrams, &truncated)
        return UnsafeMutableBufferPointer(start: datagrams, count: max(0, Int(count)))
    }
}
