import Conference
import MediaEngine
import Signaling

extension Location {
    /// Name of the location's room in the engine.
    var roomName: String { subsession?.rawValue ?? MediaEngine.mainRoom }

    init(roomName: String) {
        self = roomName == MediaEngine.mainRoom ? .mainSession : .subsession(SubsessionID(rawValue: roomName))
    }
}
