package import Containers
package import MediaBase

/// Writes audio as a WAV file.
package final class WAVOutput: DecodedMediaConsumer {
    private let writer: WAVWriter

    package init(sink: any ByteSink, channels: Int) throws(DecodeError) {
        do throws(ContainerError) {
            writer = try WAVWriter(sink: sink, format: WAVFormat(sampleRate: PCMBlock.sampleRate, channels: channels))
        } catch {
            throw .container(error)
        }
    }

    package func take(_ block: PCMBlock) throws(DecodeError) {
        do throws(ContainerError) { try writer.write(block) } catch { throw .container(error) }
    }

    package func finish() throws(DecodeError) {
        do throws(ContainerError) { try writer.finish() } catch { throw .container(error) }
    }
}
