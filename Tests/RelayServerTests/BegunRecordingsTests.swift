import Testing

@testable import RelayServer

@Suite("Recordings that are started by configuration")
struct BegunRecordingsTests {
    @Test("a recording that was started belongs to the current stream unless that was published later")
    func stopped() {
        var begun = BegunRecordings()
        #expect(!begun.has("s", "cam", since: 0))
        begun.note("s", "cam", at: 100)
        #expect(begun.has("s", "cam", since: 90) && begun.has("s", "cam", since: 100))
        #expect(!begun.has("s", "cam", since: 101) && !begun.has("t", "cam", since: 90))
        begun.note("s", "screen", at: 200)
        begun.forget("s", "cam")
        #expect(!begun.has("s", "cam", since: 90) && begun.has("s", "screen", since: 150))
    }
}
