import Testing

@testable import RelayServer

@Suite("Recordings that were begun unasked")
struct BegunRecordingsTests {
    @Test("one that was stopped is of the stream that is there, unless that was published after it")
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
