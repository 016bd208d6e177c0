import Testing

@testable import Containers

@Suite struct WebMCueListTests {
    @Test("A file of weeks, or a flood of key frames, keeps its seek index bounded and evenly spaced")
    func bounded() throws {
        for step in [Int64(1_000), 100] {
            var cues = WebMCueList()
            let count = Int64(500_000)
            for index in 0..<count { cues.append(WebMCue(time: index * step, track: 1, clusterPosition: index)) }
            #expect(cues.entries.count < WebMCueList.capacity && cues.entries.count > WebMCueList.capacity / 4)
            #expect(cues.entries.first?.time == 0)
            #expect(try #require(cues.entries.last).time > (count - 100) * step)
            let gaps = zip(cues.entries, cues.entries.dropFirst()).map { $1.time - $0.time }
            #expect(gaps.allSatisfy { $0 > 0 && $0 <= 80 * step })
        }
    }
}
