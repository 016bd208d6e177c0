import CLinuxNet
import MediaBase
import RTP
import Testing

@testable import MediaEngine

extension EngineTests {
    @Suite("Socket of the RTCP of WebRTC peers", .enabled(if: millrace_can_separate_rtcp() == 1))
    struct RTCPSocket {
        /// Addresses to bind to that reach loopback, with IPv6 if the host has it.
        private static let addresses: [String] = {
            let probe = try? sockets(at: "::")
            probe?.close()
            return ["127.0.0.1", "0.0.0.0"] + (probe == nil ? [] : ["::"])
        }()

        private static func sockets(at address: String, port: UInt16 = 0, separates: Bool = true) throws
            -> WorkerSockets
        {
            var configuration = EngineConfiguration()
            configuration.bindAddress = address
            configuration.plainPort = 0
            configuration.webRTC.port = port
            configuration.webRTC.tcp = false
            configuration.webRTC.separatesRTCP = separates
            return try WorkerSockets(configuration, worker: 0)
        }

        /// Sends a datagram to the WebRTC port.
        /// - Returns: whether it arrived at the port itself and at the socket of RTCP.
        private func deliver(_ datagram: [UInt8], from sender: Endpoint, to sockets: WorkerSockets) -> [Bool] {
            sender.send(datagram, to: sockets.webRTCPort)
            var descriptors = [sockets.webRTC, sockets.webRTCFeedback]
            _ = millrace_wait(&descriptors, 2, 5_000_000_000)
            var truncated: UInt32 = 0
            func isNext(_ received: UnsafeMutableBufferPointer<millrace_datagram>) -> Bool {
                received.count == 1
                    && Array(UnsafeBufferPointer(start: received[0].data, count: Int(received[0].length))) == datagram
            }
            let atPort = isNext(sockets.receive(.webRTC, truncated: &truncated))
            guard sockets.webRTCFeedback >= 0 else { return [atPort, false] }
            return [atPort, isNext(sockets.receive(.webRTCFeedback, truncated: &truncated))]
        }

        @Test("RTCP arrives there, all other datagrams at the port, with one and several sending sockets")
        func sorted() throws {
            for address in Self.addresses {
                let sockets = try Self.sockets(at: address)
                defer { sockets.close() }
                try #require(sockets.webRTCFeedback >= 0)
                for _ in 0..<2 {
                    let sender = try Endpoint()
                    for first in [0, 3, 20, 63, 64, 79, 127, 128, 160, 191, 192, 255] as [UInt8] {
                        for second in [0, 64, 72, 95, 96, 191, 192, 200, 206, 223, 224, 255] as [UInt8] {
                            let isRTCP = DatagramKind(firstByte: first, secondByte: second) == .rtcp
                            let arrived = deliver([first, second, 7], from: sender, to: sockets)
                            #expect(arrived == [!isRTCP, isRTCP], "\(address) \(first) \(second)")
                        }
                    }
                    #expect(deliver([128], from: sender, to: sockets) == [true, false])
                    #expect(deliver([], from: sender, to: sockets) == [true, false])
                    // A peer behind another interface gets a socket that only sends.
                    let shared = millrace_udp_share(sockets.webRTC, 0, 1)
                    #expect(shared >= 0)
                    defer { millrace_close(shared) }
                    #expect(deliver([128, 200, 1], from: sender, to: sockets) == [false, true])
                    #expect(deliver([128, 100, 1], from: sender, to: sockets) == [true, false])
                }
            }
        }

        @Test("The port stays in use for others") func used() throws {
            let sockets = try Self.sockets(at: "127.0.0.1")
            defer { sockets.close() }
            #expect(throws: EngineError.self) { _ = try Self.sockets(at: "127.0.0.1", port: sockets.webRTCPort) }
        }

        @Test("Without the socket RTCP arrives at the port") func off() throws {
            let sockets = try Self.sockets(at: "127.0.0.1", separates: false)
            defer { sockets.close() }
            #expect(sockets.webRTCFeedback == -1)
            #expect(deliver([128, 200], from: try Endpoint(), to: sockets) == [true, false])
        }

        @Test("A worker handles RTCP however often it arrives, with and without the socket", arguments: [true, false])
        func handled(separates: Bool) async throws {
            let engine = try EngineTests.engine {
                $0.webRTC.port = 0
                $0.webRTC.separatesRTCP = separates
            }
            defer { engine.stop() }
            let sender = try Endpoint()
            // Peers that the relay does not know: datagrams are counted and dropped.
            var sent: UInt64 = 0
            for (count, gap) in [(100, MediaTime.zero), (50, .milliseconds(1)), (5, .milliseconds(20))] {
                for _ in 0..<count {
                    sender.send([128, 200, 0, 0], to: engine.webRTCPorts[0])
                    if gap > .zero { wait(on: [sender], at: gap) }
                }
                sent += UInt64(count)
                let counters = try await EngineTests.counters(of: engine) { $0.droppedUnknownPeer >= sent }
                #expect(counters.droppedUnknownPeer == sent)
            }
        }
    }
}
