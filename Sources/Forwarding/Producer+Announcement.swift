package import MediaBase

/// Encodings that another relay holds back. Its announcements stand for packets, so that such an encoding does not look stopped and can be
/// chosen.
extension Producer {
    /// Time for which an announcement counts: several times its interval, so that a few may be lost.
    private static let announcementLifetime = MediaTime.seconds(2)

    /// Takes the rates of the relay that the encoding comes from.
    package func announce(_ rates: AnnouncedRates, now: MediaTime) {
        announcement = (rates, now)
        guard rates.isHeldBack else { return }
        if rates.width > 0, rates.height > 0 { frameSize = (Int(rates.width), Int(rates.height)) }
        // The cached packets are from before the encoding was held back. No subscriber may start with them later.
        if keyFrameStart >= 0 { startAnew() }
    }

    /// Returns the announced rates, as long as they count.
    func announcedRates(now: MediaTime) -> AnnouncedRates? {
        announcement.flatMap { now - $0.at < Self.announcementLifetime ? $0.rates : nil }
    }

    /// Returns whether the encoding is announced as one that the publisher sends.
    package func isAnnounced(now: MediaTime) -> Bool { announcedRates(now: now)?.isActive ?? false }

    /// Time without packets after which a producer counts as stopped.
    package static let activity = MediaTime.seconds(2)

    /// Returns true if a packet was received within the last two seconds, or if another relay announces that it gets packets.
    package func isActive(now: MediaTime) -> Bool {
        packets > 0 && now - lastArrival < Self.activity || isAnnounced(now: now)
    }

    /// Returns whether another relay holds the encoding back.
    package func isHeldBack(now: MediaTime) -> Bool {
        guard let announcement, packets == 0 || announcement.at >= lastArrival else { return false }
        return announcedRates(now: now)?.isHeldBack ?? false
    }

    /// Whether a consumer takes the packets, or waits for a key frame of them.
    package var hasTakers: Bool {
        for i in 0..<core.pointee.consumerCount {
            switch core.pointee.consumers[i].state {
            case .live, .adapting, .catchingUp, .waiting, .expecting: return true
            case .paused, .retired: break
            }
        }
        return false
    }
}
