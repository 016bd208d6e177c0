import MediaBase
import Messaging
import Signaling
import Testing

@Suite struct UserRatesTests {
    private let ada = UserKey(app: "", id: "ada")

    private func admitted(_ rates: inout UserRates, _ count: Int, isMessage: Bool, at now: MediaTime) -> Int {
        (0..<count).count { _ in (try? rates.admit(ada, isMessage: isMessage, now: now)) != nil }
    }

    @Test("CHT-10 a user may send 20 messages and 100 requests a second over all of its sockets")
    func rates() throws {
        var rates = UserRates(MessagingLimits(), now: .seconds(0))
        #expect(admitted(&rates, 50, isMessage: true, at: .seconds(0)) == 20)
        #expect(admitted(&rates, 200, isMessage: false, at: .seconds(0)) == 80)
        #expect(admitted(&rates, 50, isMessage: true, at: .milliseconds(500)) == 10)
        #expect(admitted(&rates, 200, isMessage: false, at: .seconds(60)) == 100)
        do {
            try rates.admit(ada, isMessage: true, now: .seconds(60))
            Issue.record("admitted")
        } catch {
            #expect(error.code == .rateLimited && error.retryAfter == 1)
            #expect(error.limit == MessagingLimits.userRequestsKey)
        }
        // Other users are not affected.
        try rates.admit(UserKey(app: "", id: "bob"), isMessage: true, now: .seconds(60))
    }

    @Test("CHT-10 the cost of commands that affect many users is limited, also if it is known only afterwards")
    func entries() throws {
        var rates = UserRates(MessagingLimits(), now: .seconds(0))
        func refusal(_ cost: Int, at now: MediaTime) -> SignalingError? {
            do {
                try rates.admit(ada, isMessage: false, cost: cost, now: now)
                return nil
            } catch {
                return error
            }
        }
        // Ten groups with 500 members at once.
        for _ in 0..<10 { #expect(refusal(500, at: .seconds(0)) == nil) }
        let refused = try #require(refusal(500, at: .seconds(0)))
        #expect(refused.limit == MessagingLimits.userEntriesKey && refused.retryAfter == 1)
        // Reading costs nothing and is still allowed.
        #expect(refusal(0, at: .seconds(0)) == nil)
        #expect(refusal(500, at: .seconds(1)) == nil)
        // Cost that is known only after the command is charged as debt.
        rates.charge(ada, cost: 1_500, now: .seconds(1))
        #expect(try #require(refusal(1, at: .seconds(1))).retryAfter == 4)
        #expect(refusal(1, at: .seconds(3)) != nil)
        #expect(refusal(1, at: .seconds(5)) == nil)
        // The debt is remembered, and other users are not affected.
        #expect(rates.count == 1)
        try rates.admit(UserKey(app: "", id: "bob"), isMessage: false, cost: 5_000, now: .seconds(5))
        // A cost above the bucket's capacity is admitted if the bucket is full.
        #expect(refusal(9_000, at: .seconds(60)) == nil)
        #expect(refusal(1, at: .seconds(60)) != nil)
    }

    @Test("inactive users are forgotten")
    func forgotten() throws {
        var rates = UserRates(MessagingLimits(), now: .seconds(0))
        for number in 0..<1_000 {
            try rates.admit(UserKey(app: "", id: "\(number)"), isMessage: true, now: .milliseconds(Int64(number)))
        }
        try rates.admit(ada, isMessage: true, now: .seconds(10))
        #expect(rates.count == 1)
    }
}
