import Conference
import SessionMedia

extension MediaInventory.Peer {
    // Not private: encode(to:) is synthesized in another file, and a private type ends the compiler (Swift 6.3).
    enum CodingKeys: CodingKey {
        case id
        case isPlain
        case use
        case location
        case subscriber
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(PeerID.self, forKey: .id)
        isPlain = try container.decode(Bool.self, forKey: .isPlain)
        use = try container.decodeIfPresent(MediaInventory.Use.self, forKey: .use)
        location = try container.decodeIfPresent(Location.self, forKey: .location)
        // The negotiation of a relay of a later version may not be readable; the client then subscribes again.
        subscriber = try? container.decodeIfPresent(MediaInventory.Subscriber.self, forKey: .subscriber)
    }
}
