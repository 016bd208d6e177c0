import CLinuxNet
import Foundation
import MediaBase
import MediaEngine
import Testing

extension EngineTests {
    @Suite("Sockets of an engine that has ended")
    struct Sockets {
        /// Returns the inodes of the sockets that are bound to a port, from the kernel's list.
        private func inodes(of ports: [UInt16]) throws -> Set<String> {
            var found: Set<String> = []
            for table in ["tcp", "udp"] {
                let lines = try contents(of: "/proc/self/net/\(table)").split(separator: "\n")
                for line in lines.dropFirst() {
                    let fields = line.split(separator: " ")
                    guard fields.count > 9,
                        let port = fields[1].split(separator: ":").last.flatMap({ UInt16($0, radix: 16) }),
                        ports.contains(port)
                    else { continue }
                    found.insert("socket:[\(fields[9])]")
                }
            }
            return found
        }

        /// Reads a file of the kernel to its end: one read returns at most a page of it.
        private func contents(of path: String) throws -> String {
            let file = try #require(FileHandle(forReadingAtPath: path))
            var bytes = Data()
            while let more = try file.read(upToCount: 65_536), !more.isEmpty { bytes += more }
            return String(decoding: bytes, as: UTF8.self)
        }

        /// Returns the targets of this process's open file descriptors.
        private func open() throws -> Set<String> {
            let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            return Set(
                names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") })
        }

        @Test("Are closed although the engine is still referenced, including those of ICE-TCP", arguments: [1, 3])
        func closed(_ workers: Int) async throws {
            var held: [MediaEngine] = []
            for _ in 0..<4 {
                let engine = try EngineTests.engine { configuration in
                    configuration.workers = workers
                    configuration.webRTC.port = 0
                }
                held.append(engine)
                let ports = engine.plainPorts + engine.plainPorts.map { $0 + 1 } + engine.webRTCPorts
                let sockets = try inodes(of: ports).intersection(open())
                // Sockets of RTP, RTCP, WebRTC media and WebRTC's RTCP; the TCP socket has the same port number if that was free.
                let each = millrace_can_separate_rtcp() == 1 ? 4 : 3
                #expect((each * workers...(each + 1) * workers).contains(sockets.count), "\(sockets)")
                engine.stop()
                #expect(try open().isDisjoint(with: sockets))
            }
            withExtendedLifetime(held) {}
        }

        @Test("Are closed when the engine is released without stop()")
        func released() async throws {
            var engine: MediaEngine? = try EngineTests.engine { $0.webRTC.port = 0 }
            let ports = (engine?.plainPorts ?? []) + (engine?.webRTCPorts ?? [])
            let sockets = try inodes(of: ports).intersection(open())
            #expect(sockets.count >= 2)
            engine = nil
            #expect(try open().isDisjoint(with: sockets))
        }

        @Test("Are closed when one of the engine's ports is in use")
        func refused() async throws {
            // The TCP port is the last one that is opened.
            let taken = try StreamSockets(address: "127.0.0.1", port: 0, limits: StreamLimits())
            let port = taken.local.port
            let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            for _ in 0..<20 {
                #expect(throws: EngineError.self) { _ = try EngineTests.engine { $0.webRTC.port = port } }
            }
            let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            withExtendedLifetime(taken) {}
            // Other tests open some at the same time.
            #expect(after < before + 20, "\(before) \(after)")
        }
    }
}
