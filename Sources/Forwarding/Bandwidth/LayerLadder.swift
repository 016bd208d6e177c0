/// Selections that can be sent of one video track, from worst to best; each step costs more than the one before.
struct LayerLadder {
    struct Step {
        let selection: LayerSelection
        /// Bit rate in bits per second.
        let cost: Int64
    }

    private(set) var steps: [Step] = []

    init(_ track: AllocatedTrack) {
        let limits = track.limits
        let temporal = min(max(limits.temporal ?? 3, 0), 3)
        for index in Self.encodings(of: track) {
            let rates = track.encodings[index].bitrates
            for layer in 0...temporal {
                // Layers that add less than 1/64 of the bit rate are treated as absent.
                if layer < temporal, rates[layer] >= rates[temporal] - rates[temporal] / 64 { continue }
                if layer < temporal, rates[layer + 1] <= rates[layer] { continue }
                // A larger frame size at a low frame rate is worse than a smaller one at full frame rate.
                if layer == 0, !steps.isEmpty, rates[temporal] > rates[0] + rates[0] / 64 { continue }
                let selection = LayerSelection(encoding: index, temporal: UInt8(truncatingIfNeeded: layer))
                steps.append(Step(selection: selection, cost: rates[layer]))
            }
        }
        removeDearer()
    }

    /// Returns the cost of the first `count` steps; 0 steps mean paused.
    func cost(_ count: Int) -> Int64 { count > 0 ? steps[count - 1].cost : 0 }

    /// Returns the number of steps up to the previous selection, or up to what remains of it.
    func count(upTo selection: LayerSelection?) -> Int {
        guard let selection else { return 0 }
        let count = steps.count {
            $0.selection.encoding < selection.encoding
                || ($0.selection.encoding == selection.encoding && $0.selection.temporal <= selection.temporal)
        }
        // The track was being sent, although its selection no longer exists.
        return max(count, min(1, steps.count))
    }

    private static func encodings(of track: AllocatedTrack) -> [Int] {
        let all = track.encodings
        if let fixed = track.limits.encoding {
            return all.indices.contains(fixed) && all[fixed].isActive ? [fixed] : []
        }
        let highest = track.highestPermitted(countsInactive: false)
        let active = all.indices.filter { all[$0].isActive }
        let allowed = active.filter { $0 <= highest }
        // If all active encodings exceed the limit, the smallest one is used.
        guard !allowed.isEmpty else { return Array(active.prefix(1)) }
        let measured = allowed.filter { all[$0].bitrates[3] > 0 }
        return measured.isEmpty ? Array(allowed.prefix(1)) : measured
    }

    /// Removes steps that cost at least as much as a better one.
    private mutating func removeDearer() {
        var least = Int64.max
        var kept: [Step] = []
        for step in steps.reversed() where step.cost < least {
            least = step.cost
            kept.append(step)
        }
        steps = kept.reversed()
    }
}
