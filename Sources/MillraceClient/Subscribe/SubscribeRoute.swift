/// Which media sections of the relay's offer carry a subscription.
struct SubscribeRoute: Sendable {
    let subscriber: Subscriber
    let audioMid: String?
    let videoMid: String?
}
