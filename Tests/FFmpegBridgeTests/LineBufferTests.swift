import FFmpegBridge
import Testing

@Suite("Lines of a program's standard error") struct LineBufferTests {
    @Test("lines are the same for every division into parts")
    func parts() {
        let bytes = Array("one\n\ntwo\rthr\u{e9}e\r\nfour".utf8)
        for size in 1...bytes.count {
            var buffer = LineBuffer()
            var lines: [String] = []
            for first in stride(from: 0, to: bytes.count, by: size) {
                lines += buffer.append(bytes[first..<min(first + size, bytes.count)])
            }
            #expect(lines == ["one", "two", "thr\u{e9}e"])
            #expect(buffer.finish() == "four")
            #expect(buffer.finish() == nil)
        }
    }

    @Test("a line without an end is cut")
    func bounded() {
        var buffer = LineBuffer()
        for _ in 0..<100 { #expect(buffer.append([UInt8](repeating: 0xff, count: 1_000)).isEmpty) }
        #expect(buffer.append([10]).map(\.unicodeScalars.count) == [LineBuffer.maximumBytes])
    }
}
