package import MediaBase

/// Encodings that another relay holds back. Its announcements stand for packets, so that such an encoding does not look stopped and can be
/// chosen.
extension Producer {
    /// Time for which an announcement counts: several times its interval, so that a few may be lost.
    private static let announcementLifetime = MediaTime.seconds(2)

    /// Takes the rates of the relay that the encoding comes from.
    /// - Returns: whether the encoding begins or ceases to be withheld.
    @discardableResult
    package func announce(_ rates: AnnouncedRates, now: MediaTime) -> Bool {
        let wasWithheld = isWithheld(now: now)
        announcement = (rates, now)
        let isChanged = rates.isWithheld != wasWithheld
        guard rates.isHeldBack else { return isChanged }
        if rates.width > 0, rates.height > 0 { frameSize = (Int(rates.width), Int(rates.height)) }
        // The cached packets are from before the encoding was held back. No subscriber may start with them later.
        if keyFrameStart >= 0 { startAnew() }
        return isChanged
    }

    /// Returns the announced rates, as long as they count.
    func announcedRates(now: MediaTime) -> AnnouncedRates? {
        announcement.flatMap { now - $0.at < Self.announcementLifetime ? $0.rates : nil }
    }

    /// Returns whether the encoding is announced as one that the publisher sends.
    package func isAnnounced(now: MediaTime) -> Bool {
        announcedRates(now: now).map { $0.isActive && !$0.isWithheld } ?? false
    }

    /// Time without packets after which a producer counts as stopped.
    package static let activity = MediaTime.seconds(2)

    /// Returns true if a packet was received within the last two seconds, or if another relay announces that it gets packets. An
    /// encoding that is withheld is not active: no packets will come.
    package func isActive(now: MediaTime) -> Bool {
        guard !isWithheld(now: now) else { return false }
        return packets > 0 && now - lastArrival < Self.activity || isAnnounced(now: now)
    }

    /// Returns whether another relay holds the encoding back.
    package func isHeldBack(now: MediaTime) -> Bool {
        guard let announcement, packets == 0 || announcement.at >= lastArrival else { return false }
        return announcedRates(now: now)?.isHeldBack ?? false
    }

    /// Returns whether another relay cannot send the encoding, because the path from there is too narrow. Late packets do not change that: the
    /// relay says when it sends again.
    package func isWithheld(now: MediaTime) -> Bool { announcedRates(now: now)?.isWithheld ?? false }

    /// Number of consumers that take the packets, or wait for a key frame of them.
    package var takers: Int {
        var count = 0
        for i in 0..<core.pointee.consumerCount where takes(core.pointee.consumers[i].state) { count += 1 }
        return count
    }

    private func takes(_ state: Consumer.State) -> Bool {
        switch state {
        case .live, .adapting, .catchingUp, .waiting, .expecting: true
        case .paused, .retired: false
        }
    }
}
