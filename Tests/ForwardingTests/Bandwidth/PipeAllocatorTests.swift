import MediaBase
import MillraceTestKit
import Testing

@testable import Forwarding

@Suite("CLU-2 Selection of the encodings that a pipe withholds") struct PipeAllocatorTests {
    private typealias Encoding = PipedVideo.Encoding

    private func video(_ stream: String, _ kilobits: [Int64], takers: [Int]) -> PipedVideo {
        PipedVideo(
            stream: stream,
            encodings: zip(kilobits, takers).map { Encoding(bitrate: 1_000 * $0, isDemanded: true, takers: $1) })
    }

    private func path(_ kilobits: Int64, isFull: Bool = false, isCongested: Bool = false) -> PipeAllocator.Path {
        PipeAllocator.Path(
            target: .kilobits(kilobits), capacity: .kilobits(kilobits), isFull: isFull, isCongested: isCongested)
    }

    private let audio = Bitrate.kilobits(100)

    @Test("Everything is sent if it fits, and also if it exceeds the estimate for a moment") func fits() {
        var allocator = PipeAllocator()
        let videos = [video("a", [150, 500, 1_500], takers: [1, 1, 1])]
        for kilobits: Int64 in [2_300, 2_000, 1_800] {
            let result = allocator.allocate(videos, audio: audio, path: path(kilobits), now: .seconds(1))
            #expect(result.available == [3] && result.withheld == 0 && result.wanted == .kilobits(0))
        }
        let short = allocator.allocate(videos, audio: audio, path: path(1_000), now: .seconds(2))
        #expect(short.available == [3] && short.used == .kilobits(2_250))
        _ = allocator.allocate(videos, audio: audio, path: path(2_300), now: .seconds(2.5))
        #expect(allocator.allocate(videos, audio: audio, path: path(1_000), now: .seconds(3.4)).available == [3])
        #expect(allocator.allocate(videos, audio: audio, path: path(1_000), now: .seconds(4.4)).available == [2])
    }

    @Test("The largest encodings of the fewest takers are withheld first, the smallest ones last, and audio never")
    func order() {
        let videos = [
            video("a", [150, 500, 1_500], takers: [2, 0, 5]), video("b", [150, 500, 1_500], takers: [9, 0, 2]),
            video("c", [100, 400, 1_200], takers: [0, 0, 2]), video("d", [800], takers: [1]),
        ]
        let expected: [(capacity: Int64, available: [Int])] = [
            (20_000, [3, 3, 3, 1]), (8_200, [3, 2, 3, 1]), (6_600, [3, 2, 2, 1]), (5_000, [3, 1, 2, 1]),
            (2_500, [2, 1, 1, 1]), (1_500, [1, 1, 1, 0]), (1_400, [1, 1, 1, 0]), (600, [1, 1, 0, 0]),
            (400, [0, 1, 0, 0]), (60, [0, 0, 0, 0]),
        ]
        for (capacity, available) in expected {
            var allocator = PipeAllocator()
            let result = allocator.allocate(videos, audio: audio, path: path(capacity, isFull: true), now: .zero)
            #expect(result.available == available, "\(capacity) kb/s: \(result.available)")
            #expect(result.withheld == zip(videos, available).reduce(0) { $0 + $1.0.encodings.count - $1.1 })
        }
    }

    @Test(
        "The takers of a withheld encoding get the next smaller one, which counts as sent; nothing replaces an unused one"
    )
    func next() {
        var encodings = [
            Encoding(bitrate: 150_000), Encoding(bitrate: 500_000, isDemanded: false, takers: 0),
            Encoding(bitrate: 1_500_000, takers: 3),
        ]
        var allocator = PipeAllocator()
        let replaced = allocator.allocate(
            [PipedVideo(stream: "a", encodings: encodings)], audio: audio, path: path(1_200, isFull: true), now: .zero)
        #expect(replaced.available == [2] && replaced.lowered == [0] && replaced.used == .kilobits(750))
        allocator = PipeAllocator()
        let narrow = allocator.allocate(
            [PipedVideo(stream: "a", encodings: encodings)], audio: audio, path: path(600, isFull: true), now: .zero)
        #expect(narrow.available == [1] && narrow.lowered == [0] && narrow.used == .kilobits(250))
        encodings[2].takers = 0
        allocator = PipeAllocator()
        let unused = allocator.allocate(
            [PipedVideo(stream: "a", encodings: encodings)], audio: audio, path: path(1_200, isFull: true), now: .zero)
        #expect(unused.available == [2] && unused.lowered.isEmpty && unused.used == .kilobits(250))
    }

    @Test("Encodings return one at a time, with headroom, after a hold time that doubles with failed attempts")
    func hysteresis() {
        var allocator = PipeAllocator()
        let videos = [video("a", [150, 500, 1_500], takers: [0, 2, 2])]
        func available(_ kilobits: Int64, at seconds: Double, isFull: Bool = false) -> Int {
            allocator.allocate(
                videos, audio: audio, path: path(kilobits, isFull: isFull, isCongested: isFull), now: .seconds(seconds)
            ).available[0]
        }
        #expect(available(500, at: 0, isFull: true) == 1)
        #expect(available(1_200, at: 1.9) == 1 && available(800, at: 3) == 1, "held; no headroom")
        #expect(available(1_200, at: 3.1) == 2 && available(1_200, at: 20) == 2)
        #expect(available(500, at: 20.1, isFull: true) == 1, "long after the return: no failed attempt")
        #expect(available(1_200, at: 22) == 1 && available(1_200, at: 22.2) == 2)
        #expect(available(500, at: 23, isFull: true) == 1)
        #expect(available(1_200, at: 26) == 1 && available(1_200, at: 27.1) == 2, "4 s")
        #expect(available(500, at: 28, isFull: true) == 1)
        #expect(available(1_200, at: 35) == 1 && available(1_200, at: 36.1) == 2, "8 s")
        #expect(available(500, at: 37, isFull: true) == 1)
        #expect(
            available(1_200, at: 37.2) == 1 && available(1_501, at: 37.3) == 2, "twice the needed rate ends the hold")
        #expect(available(9_000, at: 38) == 3, "also the settling time")
    }

    @Test("While an encoding is withheld, the wanted rate has room for the next one of each stream") func wanted() {
        var allocator = PipeAllocator()
        let videos = [video("a", [200, 1_000], takers: [1, 1]), video("b", [200, 1_000], takers: [1, 2])]
        let result = allocator.allocate(videos, audio: audio, path: path(700, isFull: true), now: .zero)
        #expect(result.available == [1, 1] && result.used == .kilobits(500))
        #expect((2_870...2_880).contains(result.wanted.rawValue / 1_000), "2,500 kb/s with headroom")
    }

    @Test(
        "Random streams and estimates: what is sent fits or is audio alone, and equal input gives an equal result",
        arguments: 0..<20)
    func random(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var first = PipeAllocator()
        var second = PipeAllocator()
        var now = MediaTime.zero
        for _ in 0..<300 {
            now = now + .milliseconds(Int64.random(in: 0...1_500, using: &random))
            let videos = (0..<Int.random(in: 0...6, using: &random)).map { index in
                PipedVideo(
                    stream: "s\(index)",
                    encodings: (0..<Int.random(in: 1...4, using: &random)).map { _ in
                        Encoding(
                            bitrate: Int64.random(in: 0...2_000_000, using: &random),
                            isDemanded: Bool.random(using: &random), takers: Int.random(in: 0...3, using: &random))
                    })
            }
            let isFull = Bool.random(using: &random)
            let path = path(Int64.random(in: 50...6_000, using: &random), isFull: isFull, isCongested: isFull)
            let result = first.allocate(videos, audio: audio, path: path, now: now)
            let again = second.allocate(videos, audio: audio, path: path, now: now)
            #expect(result.available == again.available && result.used == again.used)
            #expect(result.available.count == videos.count)
            #expect(zip(videos, result.available).allSatisfy { (0...$0.encodings.count).contains($1) })
            #expect(result.lowered.allSatisfy { result.available[$0] < videos[$0].encodings.count })
            guard isFull else { continue }
            #expect(
                result.used.rawValue * 10 <= path.capacity.rawValue * 8 || result.used == audio,
                "\(result.used) of \(path.capacity)")
        }
    }
}
