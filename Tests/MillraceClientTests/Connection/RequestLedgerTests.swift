import Foundation
import MediaBase
import Signaling
import Testing

@testable import MillraceClient

@Suite("Ledger of open requests") struct RequestLedgerTests {
    private static let start = MediaTime.seconds(1)

    private static func message(_ bytes: [UInt8]) throws -> RequestMessage {
        try JSONDecoder().decode(RequestMessage.self, from: Data(bytes))
    }

    @Test func eachHasItsNumberAndFindsItsPurpose() throws {
        var ledger = RequestLedger<String>(timeout: .seconds(15))
        let messages = try ["a", "b", "c"].map { purpose in
            try Self.message(ledger.add(PingRequest(), purpose, now: Self.start))
        }
        #expect(messages.map(\.id) == [1, 2, 3])
        #expect(messages.allSatisfy { $0.request.method == PingRequest.method })
        #expect(ledger.count == 3)
        // Request 2 is already answered the second time; request 9 was never sent.
        let purposes = [UInt32(2), 2, 9].map { ledger.take($0) ?? "none" }
        #expect(purposes == ["b", "none", "none"])
        #expect(ledger.count == 2)
    }

    @Test("the deadline is that of the oldest open request") func deadlines() throws {
        var ledger = RequestLedger<Int>(timeout: .seconds(15))
        #expect(ledger.deadline == .never)
        for number in 0..<3 {
            _ = try ledger.add(PingRequest(), number, now: Self.start + .seconds(Double(number)))
        }
        #expect(ledger.deadline == .seconds(16))
        _ = ledger.take(2)
        #expect(ledger.deadline == .seconds(16))
        _ = ledger.take(1)
        #expect(ledger.deadline == .seconds(18))
        _ = ledger.take(3)
        #expect(ledger.deadline == .never)
    }

    @Test("unanswered requests are returned in the order in which they were sent") func removal() throws {
        var ledger = RequestLedger<Int>(timeout: .seconds(15))
        for number in 1...20 { _ = try ledger.add(PingRequest(), number, now: Self.start) }
        for id in [UInt32(1), 7, 20] { _ = ledger.take(id) }
        let rest = ledger.removeAll()
        #expect(rest == Array(2...6) + Array(8...19))
        #expect(ledger.count == 0 && ledger.deadline == .never)
        // Request ids keep counting, so a late answer matches no request.
        let next = try Self.message(ledger.add(PingRequest(), 21, now: Self.start))
        let late = ledger.take(2)
        #expect(next.id == 21 && late == nil)
    }

    @Test func whatTheRelayWouldNotReadIsRefused() {
        var ledger = RequestLedger<Int>(timeout: .seconds(15))
        let note = String(repeating: "x", count: SignalingProtocol.maximumMessageBytes)
        var refusal: SignalingError?
        do throws(SignalingError) {
            _ = try ledger.add(ReportIssueRequest(note: note), 1, now: Self.start)
        } catch {
            refusal = error
        }
        #expect(refusal?.code == .messageTooLarge)
        #expect(ledger.count == 0 && ledger.deadline == .never)
    }
}
