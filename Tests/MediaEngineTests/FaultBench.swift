#if DEBUG
    import DTLS
    import Forwarding
    import MediaBase
    import MillraceTestKit
    import RTP
    import SRTP
    import Transport

    @testable import MediaEngine

    /// A worker with or without a fault, in virtual time, and plain clients of it.
    final class FaultBench {
        struct Sent {
            let bytes: [UInt8]
            let name: WorkerSockets.Name
            let to: PeerAddress
        }

        /// Datagrams that the worker sent and no test has taken yet.
        final class Wire {
            var sent: [Sent] = []
        }

        final class Publisher {
            var audio: SyntheticSource
            var video: SyntheticSource
            let address: PeerAddress
            let context: SRTPContext
            let relay: SRTPContext
            var keyFrameRequests = 0

            init(id: UInt32, transport: PlainTransport) throws {
                audio = SyntheticSource(id: id * 2, kind: .audio, firstSequence: UInt16(65_500 - id * 9_000))
                video = SyntheticSource(id: id * 2 + 1, kind: .video, firstSequence: UInt16(65_500 - id * 7_000))
                address = PeerAddress(SocketAddress("127.0.0.1", port: UInt16(9_000 + id))!)
                context = try SRTPContext(key: transport.clientKey, direction: .outbound)
                relay = try SRTPContext(key: transport.relayKey, direction: .inbound)
            }
        }

        final class Subscriber {
            let transport: PlainTransport
            let address: PeerAddress
            let streams: ReceivedStreams
            let context: SRTPContext

            init(transport: PlainTransport, address: PeerAddress) throws {
                self.transport = transport
                self.address = address
                streams = try ReceivedStreams(key: transport.relayKey)
                context = try SRTPContext(key: transport.clientKey, direction: .outbound)
            }

            func ssrc(_ kind: MediaKind) -> SSRC {
                SSRC((kind == .audio ? transport.audio : transport.video)?.ssrc ?? 0)
            }

            /// Received packets of one kind, in order of arrival.
            func packets(_ kind: MediaKind) -> [ViewedPacket] { streams.packets[ssrc(kind).rawValue] ?? [] }
        }

        let io: VirtualIO
        let worker: Worker
        let wire = Wire()
        private(set) var publishers: [Publisher] = []
        private(set) var subscribers: [Subscriber] = []

        init(_ fault: Fault?) throws {
            var configuration = EngineConfiguration()
            configuration.fault = fault
            io = VirtualIO(now: .seconds(1)) { [wire] bytes, name, to in
                wire.sent.append(Sent(bytes: Array(bytes), name: name, to: to))
            }
            worker = try Worker(
                index: 0, configuration: configuration, identity: try DTLSIdentity.generate(.ecdsaP256),
                events: EventSink(), virtual: io, seed: 1)
        }

        func publish(_ session: String = "demo") throws -> Publisher {
            let id = UInt32(publishers.count + 1)
            var request = PlainTransportRequest(direction: .publish, session: session)
            request.stream = "cam"
            request.rtcpMux = true
            request.audio = PlainTrackRequest(ssrc: 0x5000_0000 + id * 2)
            request.video = PlainTrackRequest(ssrc: 0x5000_0000 + id * 2 + 1)
            let publisher = try Publisher(id: id, transport: try open(request))
            publishers.append(publisher)
            return publisher
        }

        func view(_ session: String = "demo") throws -> Subscriber {
            let port = UInt16(20_000 + subscribers.count)
            var request = PlainTransportRequest(direction: .subscribe, session: session)
            request.rtcpMux = true
            request.address = "127.0.0.1"
            request.audio = PlainTrackRequest(port: port)
            request.video = PlainTrackRequest(port: port)
            let subscriber = try Subscriber(
                transport: try open(request),
                address: PeerAddress(SocketAddress("127.0.0.1", port: port)!))
            subscribers.append(subscriber)
            return subscriber
        }

        private func open(_ request: PlainTransportRequest) throws -> PlainTransport {
            try worker.run(
                { (worker, quiesced) throws(EngineError) in try worker.openPlain(request, quiesced) },
                about: request.session
            ).get()
        }

        /// Hands packets of a publisher to the worker, one after another, and collects the worker's output.
        func send(_ packets: [SourcePacket], from publisher: Publisher) throws {
            for packet in packets {
                var bytes = SyntheticSource.bytes(of: packet)
                var length = bytes.count
                bytes += [UInt8](repeating: 0, count: 160)
                try bytes.withUnsafeMutableBytes {
                    try publisher.context.protect($0.baseAddress!, length: &length, capacity: $0.count)
                }
                receive(bytes, length, from: publisher.address, on: .rtp)
            }
            try run(for: .milliseconds(2))
        }

        func sendRTCP(from subscriber: Subscriber, _ write: (inout [UInt8]) -> Void) throws {
            var bytes: [UInt8] = []
            write(&bytes)
            var length = bytes.count
            bytes += [UInt8](repeating: 0, count: 160)
            try bytes.withUnsafeMutableBytes {
                try subscriber.context.protectRTCP($0.baseAddress!, length: &length, capacity: $0.count)
            }
            receive(bytes, length, from: subscriber.address, on: .rtp)
            try run(for: .milliseconds(2))
        }

        func receive(_ bytes: [UInt8], _ length: Int, from: PeerAddress, on name: WorkerSockets.Name) {
            var bytes = bytes
            bytes.withUnsafeMutableBytes {
                worker.receive($0.baseAddress!, length: length, from: from, on: name, now: io.now)
            }
        }

        func run(for time: MediaTime) throws {
            let end = io.now + time
            while io.now < end {
                io.now = io.now + .milliseconds(1)
                worker.act()
                try deliver()
            }
        }

        private func deliver() throws {
            let sent = wire.sent
            wire.sent = sent.filter { $0.name != .rtp }
            for datagram in sent where datagram.name == .rtp {
                let isRTCP = DatagramKind.isRTCP(secondByte: datagram.bytes[1])
                if let subscriber = subscribers.first(where: { $0.address.address == datagram.to.address }) {
                    if !isRTCP { try subscriber.streams.receive(datagram.bytes) }
                } else if let publisher = publishers.first(where: { $0.address.address == datagram.to.address }) {
                    let compound = try decryptRTCP(datagram.bytes, publisher.relay)
                    if try pickRTCP(compound, { $0.kind == .pli ? true : nil }) == true {
                        publisher.keyFrameRequests += 1
                    }
                }
            }
        }
    }
#endif
