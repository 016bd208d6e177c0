package import MediaBase

/// One track that a subscriber takes, as `LayerAllocator` sees it.
package struct AllocatedTrack: Sendable {
    /// One rendition of the track and what it costs.
    package struct Encoding: Hashable, Sendable {
        /// Packets of it come.
        package var isActive: Bool
        /// Pixels; 0: unknown.
        package var height: Int
        /// Bits a second with temporal layers 0...n of it, smoothed over a second or two; rising. Where a layer is absent the rate is
        /// that of the layers below. All 0: not measured yet; such an encoding is used only where there is no other.
        package var bitrates: SIMD4<Int64>

        /// - Parameter bitrates: for temporal layers up to 0, 1, 2, 3; the last stands for those that are not given.
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

    /// What the subscriber asked for itself.
    package struct Limits: Hashable, Sendable {
        /// The largest encoding, counted from the smallest (0); nil: any.
        package var spatial: Int?
        /// The highest temporal layer; nil: any.
        package var temporal: Int?
        /// This encoding and no other.
        package var encoding: Int?
        /// Pixels that it shows; encodings beyond the first that has so many are not sent. 0: unknown.
        package var height = 0
        /// Pixels; encodings with more, or of unknown height, are not sent while a smaller one is. 0: no bound.
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

    /// The owner's name for it; one track has one as long as it lasts.
    package var id: Int
    package var kind: MediaKind
    /// A higher one is served first.
    package var priority: Int
    package var limits: Limits
    /// From the smallest to the largest. Audio has one.
    package var encodings: [Encoding]

    /// Bits a second of its first encoding, all layers.
    package var bitrate: Int64 { encodings.first?.bitrates[3] ?? 0 }

    package init(id: Int, kind: MediaKind, priority: Int = 0, limits: Limits = Limits(), encodings: [Encoding]) {
        self.id = id
        self.kind = kind
        self.priority = priority
        self.limits = limits
        self.encodings = encodings
    }
}
