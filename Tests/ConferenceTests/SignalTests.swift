import Conference
import MediaBase
import Signaling
import Testing

@Suite struct SignalTests {
    @Test("SIG-1 a signal reaches one connection or all, the sender included")
    func recipients() throws {
        let world = try World()
        let ids = try (0..<4).map { _ in try world.join() }
        world.forgetEvents()
        try world.request(SignalRequest(type: "chat", data: "hello"), ids[1])
        let event = Event.signal(SignalReceived(from: ids[1], type: "chat", data: "hello"))
        for id in ids { #expect(world.newEvents(id) == [event]) }
        try world.request(SignalRequest(type: "chat", data: "hello", to: ids[2]), ids[1])
        for id in ids { #expect(world.newEvents(id) == (id == ids[2] ? [event] : [])) }
        let whip = try world.join("whip", kind: .publisher)
        for to in [whip, ConnectionID(rawValue: "none")] {
            #expect(code { try world.request(SignalRequest(type: "x", to: to), ids[0]) } == .unknownUser)
        }
        try world.admin(.signal(type: "server", data: "", to: nil))
        #expect(world.newEvents(ids[3]).last == .signal(SignalReceived(from: nil, type: "server", data: "")))
        #expect(world.violations() == [])
    }

    @Test(
        "SIG-1 the type and the length of the data are checked",
        arguments: [
            ("", 0, nil), ("AZaz09-_~", 8_192, nil), (String(repeating: "x", count: 128), 0, nil),
            (String(repeating: "x", count: 129), 0, .invalidSignalType), ("a b", 0, .invalidSignalType),
            ("ä", 0, .invalidSignalType), ("a.b", 0, .invalidSignalType), ("t", 8_193, .signalDataTooLong),
        ] as [(String, Int, ErrorCode?)])
    func checks(_ type: String, _ bytes: Int, _ expected: ErrorCode?) throws {
        let world = try World()
        let a = try world.join()
        let signal = SignalRequest(type: type, data: String(repeating: "x", count: bytes))
        #expect(code { try world.request(signal, a) } == expected)
        #expect(world.names(a) == (expected == nil ? [.signal] : []))
    }

    @Test("SIG-2 signals from one sender to one receiver stay in order, also across a lost connection")
    func order() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join()
        world.forgetEvents()
        for number in 0..<300 {
            if number == 100 {
                // Some signals were in flight when the receiver was lost.
                world.deliver(b, limit: 50)
                world.lose(b, count: 20)
                world.drop(b)
            }
            if number == 200 { try world.resume(b) }
            try world.request(SignalRequest(type: "n", data: "\(number)", to: number % 2 == 0 ? nil : b), a)
        }
        let received = world.newEvents(b).compactMap {
            if case .signal(let body) = $0 { Int(body.data) } else { nil }
        }
        #expect(received == Array(0..<300))
        #expect(world.violations() == [])
    }
}
