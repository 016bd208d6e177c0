import MediaBase
import Signaling

extension MediaConnections {
    /// Creates an offer for the publishers' media, over a new peer connection if there is none.
    func offerPublish(
        _ publishers: [Publisher], by transport: MediaTransport, restartsICE: Bool = false, now: MediaTime,
        troubled: @escaping @Sendable (PathTrouble) -> Void
    ) -> Result<PublishOffer, SessionError> {
        if publishing?.isEnded == true { publishing = nil }
        do {
            let peer =
                try publishing
                ?? PublishPeer(localAddress: localAddress, isNative: transport == .native, troubled: troubled)
            publishing = peer
            return .success(peer.offer(publishers, restartsICE: restartsICE))
        } catch {
            return .failure(SessionError(.mediaFailed, "\(error)"))
        }
    }

    func acceptPublish(_ answer: String, now: MediaTime) -> Result<Void, SessionError> {
        guard let publishing else { return .failure(SessionError(.notConnected)) }
        do {
            return .success(try publishing.accept(answer, now: now))
        } catch {
            return .failure(SessionError(.mediaFailed, "\(error)"))
        }
    }

    /// Answers an offer of the relay, over a new peer connection if the offer does not belong to the present
    /// one.
    func answerSubscribe(
        _ offer: String, _ routes: [SubscribeRoute], now: MediaTime,
        troubled: @escaping @Sendable (PathTrouble) -> Void
    ) -> Result<String, SessionError> {
        let keying = SubscribePeer.keying(of: offer)
        if let subscribing, subscribing.isEnded || subscribing.keying != keying {
            subscribing.close(now: now)
            self.subscribing = nil
        }
        do {
            let peer =
                try subscribing
                ?? SubscribePeer(
                    localAddress: localAddress, keying: keying, needsKeyFrame: needsKeyFrame, troubled: troubled)
            subscribing = peer
            return .success(try peer.answer(offer, routes, now: now))
        } catch {
            return .failure(SessionError(.mediaFailed, "\(error)"))
        }
    }

    func rebind(now: MediaTime) {
        publishing?.rebind(now: now)
        subscribing?.rebind(now: now)
    }
}
