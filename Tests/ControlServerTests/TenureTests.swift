import Signaling
import Testing

@Suite("CLU-2: requests while a relay cannot confirm that it runs a session")
struct TenureTests {
    @Test("reading, keeping the own connection and leaving are allowed")
    func allowed() {
        let allowed: [any RequestBody] = [PingRequest(), UsersRequest(), StatisticsRequest(), LeaveRequest()]
        for request in allowed { #expect(!request.needsTenure, "\(request)") }
    }

    @Test("requests that change the session or reach other users are refused")
    func refused() {
        let refused: [any RequestBody] = [
            LeaveRequest(endForAll: true), SignalRequest(type: "chat", data: "hello"), LockShareRequest(isLocked: true),
            UnpublishRequest(stream: StreamID(rawValue: "s")), RemoveUserRequest(user: ConnectionID(rawValue: "c")),
        ]
        for request in refused { #expect(request.needsTenure, "\(request)") }
    }
}
