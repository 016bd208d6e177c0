package import MediaBase

/// Track of a subscriber, as input to `LayerAllocator`.
package struct AllocatedTrack: Sendable {
    /// Encoding of the track with its bit rates.
    package struct Encoding: Hashable, Sendable {
        /// True if packets of it arrive.
        package var isActive: Bool
        /// Height in pixels; 0 if unknown.
        package var height: Int
        /// Bit rate with temporal layers 0...n, smoothed over a second or two; ascending. An absent layer has the rate of the layers below.
        /// All 0 if not measured yet; such an encoding is used only if there is no other.
        package var bitrates: SIMD4<Int64>

        /// - Parameter bitrates: rates up to temporal layers 0, 1, 2, 3; the last one given also applies to the layers above.
        package init(isActive: Bool = true, height: Int = 0, bitrates: [Bitrate]) {
            self.isActive = isActive
            self.height = height
            self.bitrates = SIMD4(repeating: 0)
            var highest: Int64 = 0
            for layer in 0..<4 {
                if layer < bitrates.count { highest = max(highest, bitrates[layer].rawValue) }
                self.bitrates[layer] = highest
            }
        }
    }

    /// Limits that the subscriber requested.
    package struct Limits: Hashable, Sendable {
        /// Index of the largest encoding, counted from the smallest (0); nil means any.
        package var spatial: Int?
        /// Highest temporal layer; nil means any.
        package var temporal: Int?
        /// Index of the only encoding allowed; nil means any.
        package var encoding: Int?
        /// Height in pixels at which the subscriber displays the track. Encodings above the first one that is at least this high are not
        /// sent. 0 if unknown.
        package var height = 0
        /// Maximum height in pixels. Higher encodings, and those of unknown height, are not sent while a smaller one is available. 0 means
        /// no limit.
        package var maximumHeight = 0

        package init(
            spatial: Int? = nil, temporal: Int? = nil, encoding: Int? = nil, height: Int = 0,
            maximumHeight: Int = 0
        ) {
            self.spatial = spatial
            self.temporal = temporal
            self.encoding = encoding
            self.height = height
            self.maximumHeight = maximumHeight
        }
    }

    /// Id assigned by the owner; constant for the lifetime of the track.
    package var id: Int
    package var kind: MediaKind
    /// Priority; higher values are served first.
    package var priority: Int
    package var limits: Limits
    /// Encodings from the smallest to the largest. Audio has one.
    package var encodings: [Encoding]

    /// Returns the index of the largest encoding that the limits permit, `Limits.encoding` aside. It need not be active.
    /// - Parameter countsInactive: whether an inactive encoding can be the first that has the requested height.
    package func highestPermitted(countsInactive: Bool) -> Int {
        var highest = max(0, min(limits.spatial ?? .max, encodings.count - 1))
        if limits.height > 0,
            let enough = encodings.firstIndex(where: {
                $0.height >= limits.height && (countsInactive || $0.isActive)
            })
        {
            highest = min(highest, enough)
        }
        if limits.maximumHeight > 0 {
            highest = min(highest, encodings.lastIndex { (1...limits.maximumHeight).contains($0.height) } ?? 0)
        }
        return highest
    }

    /// Bit rate of the first encoding with all layers, in bits per second.
    package var bitrate: Int64 { encodings.first?.bitrates[3] ?? 0 }

    package init(id: Int, kind: MediaKind, priority: Int = 0, limits: Limits = Limits(), encodings: [Encoding]) {
        self.id = id
        self.kind = kind
        self.priority = priority
        self.limits = limits
        self.encodings = encodings
    }
}
