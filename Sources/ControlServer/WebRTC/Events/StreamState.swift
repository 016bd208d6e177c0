import Foundation
import MediaEngine

/// State of one stream, as events of its WHEP resources report it.
struct StreamState: Sendable, Equatable {
    /// Whether the stream is published and has a track.
    var isActive = false
    /// Encodings from the smallest to the largest.
    var encodings: [EncodingSnapshot] = []
    /// Number of transports to which the stream is sent.
    var subscribers = 0

    /// - Parameter snapshot: nil if the stream is not published.
    init(_ snapshot: StreamSnapshot?) {
        guard let snapshot, snapshot.audio != nil || snapshot.video != nil else { return }
        isActive = true
        encodings = snapshot.encodings
        subscribers = snapshot.subscribers
    }

    /// Returns whether the layers are the same. A bit rate that differs by at most a quarter counts as the same, because it never stays
    /// constant.
    func hasSameLayers(as other: StreamState) -> Bool {
        guard encodings.count == other.encodings.count else { return false }
        return zip(encodings, other.encodings).allSatisfy { one, two in
            let (rate, otherRate) = (one.bitrate.rawValue, two.bitrate.rawValue)
            return one.id == two.id && one.isActive == two.isActive && one.width == two.width
                && one.height == two.height && abs(rate - otherRate) <= max(rate, otherRate) / 4
        }
    }

    // MARK: event data

    private struct Layers: Encodable {
        var active: [Encoding] = []
        var inactive: [Encoding] = []
        var layers: [Layer] = []
    }

    private struct Encoding: Encodable {
        var id: String
        var simulcastIdx: Int
        var bitrate: Int64?
        var width: Int?
        var height: Int?
    }

    private struct Layer: Encodable {
        var encodingId: String
        var simulcastIdx: Int
        var bitrate: Int64
        var width: Int?
        var height: Int?
    }

    /// Returns the data of a `layers` event.
    /// - Parameter section: index of the video's media section, from 0.
    func layers(of section: Int) -> String {
        var layers = Layers()
        for (index, encoding) in encodings.enumerated() {
            guard encoding.isActive else {
                layers.inactive.append(Encoding(id: encoding.id, simulcastIdx: index))
                continue
            }
            layers.active.append(
                Encoding(
                    id: encoding.id, simulcastIdx: index, bitrate: encoding.bitrate.rawValue, width: encoding.width,
                    height: encoding.height))
            layers.layers.append(
                Layer(
                    encodingId: encoding.id, simulcastIdx: index, bitrate: encoding.bitrate.rawValue,
                    width: encoding.width, height: encoding.height))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Strings and integers always encode.
        return (try? encoder.encode([String(section): layers])).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
