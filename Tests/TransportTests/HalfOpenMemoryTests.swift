import DTLS
import Foundation
import MediaBase
import SDP
import Testing
import Transport

@Suite("Memory of transports that are half open") struct HalfOpenMemoryTests {
    /// How far a peer has come.
    enum Stage: CaseIterable {
        case announced
        case checked
        case manyChecks
        case helloReceived

        /// Bytes a transport may take; the relay may have thousands.
        var limit: Int {
            switch self {
            case .announced: 8 * 1_024
            case .checked: 12 * 1_024
            case .manyChecks: 24 * 1_024
            case .helloReceived: 64 * 1_024
            }
        }

        /// Transports to measure with: as many as make the pages that others take meanwhile count for little.
        var count: Int {
            switch self {
            case .announced, .checked: 4_000
            case .manyChecks, .helloReceived: 300
            }
        }
    }

    @Test("bounded at each stage") func boundedAtEachStage() throws {
        let hello = try WebRTCTransportTests.clientHello()
        // All are kept to the end: pages that one stage gave back would hide what the next one takes.
        var kept: [[WebRTCTransport]] = []
        for stage in Stage.allCases {
            // One that is thrown away, so that what is made once a process is not counted.
            _ = try Self.transport(stage, hello)
            let count = stage.count
            let before = try Self.residentBytes()
            kept.append(try (0..<count).map { _ in try Self.transport(stage, hello) })
            let each = (try Self.residentBytes() - before) / count
            #expect(each < stage.limit, "\(stage)")
            print("half-open transport, \(stage): \(each) bytes")
        }
        withExtendedLifetime(kept) {}
    }

    /// Memory of this process (proc(5): the second number of statm is in pages). `tools/test` runs it with no other test beside it, as what they
    /// take would count.
    private static func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return try #require(Int(text.split(separator: " ")[1])) * 4_096
    }

    private static func transport(_ stage: Stage, _ hello: [UInt8]) throws -> WebRTCTransport {
        var (transport, checks) = try WebRTCTransportTests.transport()
        if stage == .announced { return transport }
        // Fifteen seconds of a browser's checks, from as many addresses as are remembered.
        for number in 0..<(stage == .checked ? 1 : 300) {
            transport.stun(checks.make(nominates: number == 0), .peer(number % ICELiteAgent.addressLimit), .zero)
            _ = transport.take()
        }
        if stage == .helloReceived {
            transport.dtls(hello, .peer(0), .zero)
            _ = transport.take()
        }
        return transport
    }
}
