/// Order and padding of pending packets. The kernel sends a run of datagrams of equal size, of which the last may be shorter, to one address in
/// one call.
extension Router {
    /// Video packets whose sizes differ by at most this many bytes are padded to the same size.
    private static let videoReach = 16

    /// Sets `sendOrder`, and pads packets so that they form longer runs. Done once for all consumers, since padding is part of the shared
    /// packet.
    /// - Parameter maximumSegments: maximum length of a run.
    func arrangePending(maximumSegments: Int) {
        var audioCount = 0
        for i in 0..<pendingCount where pending[i].isAudio {
            pending[i].producer.pointee.paddingCredit.add(payload: pending[i].payloadLength)
            sendOrder[audioCount] = UInt8(truncatingIfNeeded: i)
            audioCount += 1
        }
        var count = audioCount
        for i in 0..<pendingCount where !pending[i].isAudio {
            sendOrder[count] = UInt8(truncatingIfNeeded: i)
            count += 1
        }
        guard maximumSegments > 1 else { return }
        if audioCount > 1 {
            orderAudio(audioCount)
            padAudio(audioCount, maximumSegments: maximumSegments)
        }
        if pendingCount - audioCount > 1 { padVideo(audioCount..<pendingCount) }
    }

    /// Orders audio packets from long to short by insertion. Packets of one stream keep their order.
    private func orderAudio(_ count: Int) {
        for i in 1..<count {
            let index = sendOrder[i]
            let packet = pending + Int(index)
            var at = i
            while at > 0 {
                let before = pending + Int(sendOrder[at - 1])
                guard before.pointee.payloadLength < packet.pointee.payloadLength,
                    before.pointee.producer != packet.pointee.producer
                else { break }
                sendOrder[at] = sendOrder[at - 1]
                at -= 1
            }
            sendOrder[at] = index
        }
    }

    /// Extends each run as long as its last packet, which then is no longer the last, has the run's size or can be padded to it.
    private func padAudio(_ count: Int, maximumSegments: Int) {
        var first = 0
        while first < count {
            let size = pending[Int(sendOrder[first])].payloadLength
            var next = first + 1
            while next < count, next - first < maximumSegments, pending[Int(sendOrder[next])].payloadLength <= size,
                padAudio(pending + Int(sendOrder[next - 1]), to: size)
            {
                next += 1
            }
            first = next
        }
    }

    /// - Returns: true if the packet has the size.
    private func padAudio(_ packet: UnsafeMutablePointer<PendingPacket>, to size: Int) -> Bool {
        let missing = size - packet.pointee.payloadLength
        guard missing > 0 else { return missing == 0 }
        guard missing <= PacketRing.maximumPadding, packet.pointee.canPad,
            packet.pointee.producer.pointee.paddingCredit.take(missing)
        else { return false }
        packet.pointee.pad(to: size)
        return true
    }

    /// Pads adjacent packets of nearly equal size.
    private func padVideo(_ range: Range<Int>) {
        var i = range.lowerBound
        while i < range.upperBound {
            var low = pending[Int(sendOrder[i])].payloadLength
            var high = low
            var j = i + 1
            while j < range.upperBound {
                let length = pending[Int(sendOrder[j])].payloadLength
                guard max(high, length) - min(low, length) <= Self.videoReach else { break }
                low = min(low, length)
                high = max(high, length)
                j += 1
            }
            if low != high {
                for k in i..<j where pending[Int(sendOrder[k])].payloadLength < high {
                    pending[Int(sendOrder[k])].pad(to: high)
                }
            }
            i = j
        }
    }
}
