import { withPayload } from '@payloadcms/next/withPayload';

export default withPayload({
  compress: false,
  // Lock files in the directories above do not matter.
  turbopack: { root: import.meta.dirname },
});
