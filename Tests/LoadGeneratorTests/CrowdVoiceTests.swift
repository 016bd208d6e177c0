import Testing

@testable import LoadGenerator

@Suite("Audio of participants in subsessions") struct CrowdVoiceTests {
    @Test("An answer that cannot be used is an error, and such an offer fails the wait for the connection")
    func unusable() throws {
        let voice = try CrowdVoice(source: 1, localAddress: "127.0.0.1", identity: .generate())
        _ = voice.offer()
        for text in ["", "v=0\r\n", "no SDP"] {
            #expect { try voice.accept(text) } throws: { ($0 as? LoadError)?.kind == "unusableAnswer" }
        }
        #expect(try !voice.isConnected())
        for text in ["", "v=0\r\n", "no SDP"] {
            #expect(voice.answer(text) == nil)
        }
        #expect { try voice.isConnected() } throws: { ($0 as? LoadError)?.kind == "unusableAnswer" }
    }
}
