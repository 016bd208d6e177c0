package import MediaBase

extension KeyAgreement {
    package enum Limit {
        /// Participants with a public key.
        package static let members = 200
        /// Former secrets that are kept to open delayed frames.
        package static let formerEpochs = SFrameOpener.Limit.epochs - 1
        /// Messages that are decrypted in one second.
        package static let messagesPerSecond = 20
        /// Leaders whose last epoch is remembered.
        package static let leaders = 64
    }

    package enum Timing {
        /// Time without a further join or leave after which the leader makes a secret.
        static let settling = MediaTime.milliseconds(200)
        /// Time after which it makes one although participants keep coming and going.
        static let longestSettling = MediaTime.seconds(1)
        /// Time between two secrets of a leader.
        static let interval = MediaTime.milliseconds(500)
        /// Time from a new secret to the first frame under it: signals are slower than media, and frames that arrive before their secret are
        /// dropped by every receiver.
        static let activation = MediaTime.milliseconds(250)
        /// Time that former secrets open delayed frames.
        static let formerEpochs = MediaTime.seconds(10)
        /// Time without a secret after which a participant asks the leader; it doubles to `longestRequest`.
        static let request = MediaTime.seconds(1)
        static let longestRequest = MediaTime.seconds(16)
        /// Interval of further requests, because a participant cannot know of a secret that it did not receive.
        static let confirmation = MediaTime.seconds(20)
        /// Time between two answers to one participant.
        static let answer = MediaTime.milliseconds(500)
        /// Time that the leader's participants may differ from the own ones.
        static let mismatch = MediaTime.seconds(3)
        /// Time that frames are encrypted for former participants if no secret comes for the present ones.
        package static let overdue = MediaTime.seconds(10)
    }
}
