import MediaBase
import Messaging
import Signaling
import Testing

@Suite struct UserRatesTests {
    private let ada = UserKey(app: "", id: "ada")

    private func admitted(_ rates: inout UserRates, _ count: Int, isMessage: Bool, at now: MediaTime) -> Int {
        (0..<count).count { _ in (try? rates.admit(ada, isMessage: isMessage, now: now)) != nil }
    }

    @Test("CHT-10 20 messages a second of one user, and 100 requests, from however many sockets")
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
        // Others are not held back.
        try rates.admit(UserKey(app: "", id: "bob"), isMessage: true, now: .seconds(60))
    }

    @Test("users that are silent are forgotten")
    func forgotten() throws {
        var rates = UserRates(MessagingLimits(), now: .seconds(0))
        for number in 0..<1_000 {
            try rates.admit(UserKey(app: "", id: "\(number)"), isMessage: true, now: .milliseconds(Int64(number)))
        }
        try rates.admit(ada, isMessage: true, now: .seconds(10))
        #expect(rates.count == 1)
    }
}
