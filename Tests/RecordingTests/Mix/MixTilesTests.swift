import Codecs
import Foundation
import MediaBase
import Testing

@testable import Recording

@Suite("REC-2 Tiles and names of mixed videos") struct MixTilesTests {
    private static let hasFont = NameFont(MixOptions.usualFonts) != nil

    @Test("REC-2 names of any script have a label within its width, and hostile ones break nothing")
    func names() throws {
        try #require(Self.hasFont, "fonts-dejavu-core is missing; tools/setup installs it")
        let font = try #require(NameFont(MixOptions.usualFonts))
        let names = [
            "Ada", "Zoë Ångström", "Ге́нрих", "王小明", "محمد", "👩‍👩‍👧", "e\u{301}\u{301}\u{301}", "\u{202e}evil",
            String(repeating: "W", count: 10_000),
        ]
        for name in names {
            for (height, width) in [(8, 8), (14, 40), (40, 1_000), (200, 300)] {
                guard let mask = font.mask(name, height: height, width: width) else { continue }
                #expect(mask.width <= width && mask.height == height)
                #expect(mask.coverage.count == mask.width * mask.height)
                let label = NameLabel(mask)
                #expect(label.width % 16 == 0 && label.height % 2 == 0)
            }
        }
        #expect(font.mask("Ada", height: 20, width: 200) != font.mask("Bob", height: 20, width: 200))
        // Format characters are left out, so text cannot be reordered.
        #expect(font.mask("\u{202e}evil", height: 20, width: 200) == font.mask("evil", height: 20, width: 200))
        for name in ["", " ", "\u{1b}\n", "\u{200b}"] { #expect(font.mask(name, height: 20, width: 200) == nil) }
        #expect(font.mask("Ada", height: 7, width: 200) == nil && font.mask("Ada", height: 20, width: -1) == nil)
        #expect(NameFont(["/nonexistent.ttf", "/etc/passwd"]) == nil)
    }

    @Test("REC-2 a tile has its frame and its name, and is drawn again only if something of it changed")
    func drawing() throws {
        let font = try #require(NameFont(MixOptions.usualFonts), "fonts-dejavu-core is missing")
        var tiles = MixTiles(size: FrameSize(width: 320, height: 180), font: font)
        let area = MixRectangle(x: 0, y: 0, width: 320, height: 180)
        var content = MixTiles.Content(image: nil, version: 0, isPaused: true, name: "Ada")
        func draw() -> Bool { tiles.draw([MixLayout.Tile(id: 0, area: area)]) { _ in content } }
        func luma(_ rows: Range<Int>) -> [UInt8] {
            rows.flatMap { Array(tiles.canvas.frame.bytes[$0 * 320..<($0 + 1) * 320]) }
        }
        #expect(draw())
        // The name is in the center of a tile without video.
        #expect(luma(0..<60).allSatisfy { $0 == MixCanvas.placeholder })
        #expect(luma(70..<110).contains { $0 > 200 })
        #expect(!draw())
        var image = I420Frame(width: 320, height: 180)
        for index in image.yRange { image.bytes[index] = 100 }
        content = MixTiles.Content(image: image, version: 1, isPaused: false, name: "Ada")
        #expect(draw())
        #expect(!draw())
        #expect(luma(0..<140).allSatisfy { $0 == 100 })
        // The name is at the bottom on a darker box.
        #expect(luma(160..<180).contains { $0 > 200 } && luma(160..<180).contains { $0 < 70 })
        content.isPaused = true
        #expect(draw())
        #expect(luma(0..<140).allSatisfy { (30..<80).contains($0) })
        #expect(!draw())
    }

    @Test("REC-2 frames are turned clockwise by their rotation", arguments: Rotation.allCases)
    func rotation(_ rotation: Rotation) throws {
        // The upper left quarter is bright.
        var frame = I420Frame(width: 160, height: 96)
        for y in 0..<48 { for x in 0..<80 { frame.bytes[y * 160 + x] = 235 } }
        let encoder = try VP8Encoder(VP8EncoderConfiguration(width: 160, height: 96, bitrate: .kilobits(1_000)))
        let encoded = try #require(try encoder.encode(frame, timestamp: 0))
        var track = try MixVideoTrack(.vp8, codecPrivate: [], rotation: rotation)
        let packet = EncodedPacket(kind: .video, time: .zero, isKeyFrame: true, position: 0, bytes: encoded.bytes)
        track.decode(packet, area: MixRectangle(x: 0, y: 0, width: 80, height: 80))
        let image = try #require(track.image)
        let wanted = rotation.isSideways ? FrameSize(width: 48, height: 80) : FrameSize(width: 80, height: 48)
        #expect(FrameSize(width: image.width, height: image.height) == wanted)
        let (w, h) = (image.width, image.height)
        let corners = [(w / 4, h / 4), (3 * w / 4, h / 4), (3 * w / 4, 3 * h / 4), (w / 4, 3 * h / 4)]
        let bright = corners.map { image.bytes[$0.1 * w + $0.0] > 150 }
        #expect(bright.firstIndex(of: true) == rotation.rawValue / 90 && bright.count { $0 } == 1)
    }

    @Test("REC-2 a frame that is not shown is decoded, and damaged frames are counted")
    func hidden() throws {
        let encoded = try TestStream.plain(count: 3) { _ in .red }
        var track = try MixVideoTrack(.vp8, codecPrivate: [], rotation: .none)
        func decode(_ bytes: [UInt8], area: MixRectangle?) {
            track.decode(
                EncodedPacket(kind: .video, time: .zero, isKeyFrame: true, position: 0, bytes: bytes), area: area)
        }
        decode(encoded[0].bytes, area: nil)
        #expect(track.image == nil && track.shown == 0)
        decode(encoded[1].bytes, area: MixRectangle(x: 0, y: 0, width: 100, height: 100))
        #expect(track.image?.width == 100 && track.image?.height == 56 && track.errors == 0)
        decode([0xff, 1, 2], area: MixRectangle(x: 0, y: 0, width: 100, height: 100))
        decode([], area: nil)
        #expect(track.errors == 2 && track.shown == 1)
    }
}
