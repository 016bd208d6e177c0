import MillraceClient
import Signaling

extension RelayUnderTest {
    /// Two who have joined: the first publishes a test picture with sound, the second watches it.
    struct Call {
        let ada: Session
        let bob: Session
        let publisher: Publisher
        let stream: StreamID
        /// To be kept as long as pictures are wanted.
        let source: TestSource
        let subscriber: Subscriber
    }

    /// - Parameter url: by which the first reaches the relay; nil: its own.
    func call(url: String? = nil) async throws -> Call {
        let ada = try await join("Ada", canHost: true, url: url)
        let bob = try await join("Bob")
        let publisher = Publisher(TestSource.settings)
        let stream = try await ada.publish(publisher)
        let source = TestSource(publisher)
        let subscriber = try await SessionMediaTests.subscribe(bob, to: stream)
        return Call(
            ada: ada, bob: bob, publisher: publisher, stream: stream, source: source, subscriber: subscriber)
    }
}
