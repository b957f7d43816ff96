import { LoadedAssembly } from './load-assembly';
import { ANNOTATION_PLACEHOLDER } from '../../model/labels';

/** Throws where an output holds placeholders in place of secrets: a build without secrets is for looking at. */
export function refusePlaceholders({ folder, assembly, manifests }: LoadedAssembly): void {
  const named = new Map((assembly.placeholders ?? []).map((entry) => [entry.in, entry.secrets.join(', ')]));
  for (const [id, { metadata: { annotations } }] of manifests) {
    const secrets = annotations?.[ANNOTATION_PLACEHOLDER];
    if (secrets !== undefined) { named.set(id, secrets); }
  }
  if (named.size === 0) { return; }
  const lines = [...named].map(([id, secrets]) => `  ${id}: ${secrets}`);
  throw new Error(`${folder}: holds placeholders instead of secrets, so it cannot be planned or applied:\n${lines.join('\n')}\n`
    + 'Fix: synthesize where the secrets are set, without CDK8S_HARVESTER_SECRETS');
}
