import Conference
import MediaEngine
import Signaling

extension Location {
    /// Name of the location's subsession in the engine.
    var subsessionName: String { subsession?.rawValue ?? MediaEngine.mainSubsession }

    init(subsessionName: String) {
        self =
            subsessionName == MediaEngine.mainSubsession
            ? .mainSession : .subsession(SubsessionID(rawValue: subsessionName))
    }
}
