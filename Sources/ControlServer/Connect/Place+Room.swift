import Conference
import MediaEngine
import Signaling

extension Place {
    /// Name of the place's room in the engine.
    var roomName: String { subsession?.rawValue ?? MediaEngine.mainRoom }

    init(roomName: String) {
        self = roomName == MediaEngine.mainRoom ? .mainSession : .subsession(SubsessionID(rawValue: roomName))
    }
}
