package import Codecs
import Containers
import MediaBase

/// Writes every n-th frame as `<stem>-000001.png` into an existing folder, numbered as in the recording.
package final class StillsOutput: DecodedMediaConsumer {
    private let directory: String
    private let stem: String
    private let every: Int
    package private(set) var written = 0

    package init(directory: String, stem: String, every: Int) {
        self.directory = directory
        self.stem = stem
        self.every = max(1, every)
    }

    package func take(_ planes: borrowing I420Planes, _ info: DecodedFrame) throws(DecodeError) {
        guard (info.shownNumber - 1) % every == 0 else { return }
        let digits = String(info.number)
        let name = "\(stem)-\(String(repeating: "0", count: max(0, 6 - digits.count)))\(digits).png"
        do throws(ContainerError) {
            try PNGWriter.write(planes.frame(rotation: info.rotation), path: "\(directory)/\(name)", fast: true)
        } catch {
            throw .container(error)
        }
        written += 1
    }
}
