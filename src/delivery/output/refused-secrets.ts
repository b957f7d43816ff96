import { DeliveryEngine } from './engine';
import { PlainOutput } from '../../core/app/delivery-step';
import { objectLabel } from '../../core/manifest/manifest';
import { Finding } from '../../core/rule/finding';
import { objectOf } from '../../core/rule/judge';
import { DELIVERY_SECRETS } from '../../core/rule/program-rules';
import { secretFields } from '../../core/secret/secret-fields';

/**
 * The objects whose secrets an engine must not get as they are.
 *
 * @param delivered the IDs of the objects that the engine delivers
 */
export function refusedSecrets(output: PlainOutput, { refuses = {} }: DeliveryEngine, delivered: ReadonlySet<string>): Finding[] {
  const { assembly, manifests, secretPlaces, hiding, acceptsPlain } = output;
  if (!refuses.plain && !refuses.encrypted) { return []; }
  return assembly.objects.filter(({ id }) => delivered.has(id)).flatMap(({ id, construct, target }): Finding[] => {
    const refusal = hiding?.decryption.has(id) ? refuses.encrypted : acceptsPlain?.(id) ? undefined : refuses.plain;
    if (!refusal) { return []; }
    const manifest = manifests.get(id)!;
    const [field] = secretFields(manifest, secretPlaces?.get(id) ?? new Set());
    if (field === undefined) { return []; }
    const { id: rule, level, source } = DELIVERY_SECRETS;
    return [{
      rule, level, source, construct, target, object: objectOf(manifest), path: field.join('.'), message: `${objectLabel(manifest)} ${refusal.message}`, fix: refusal.fix,
    }];
  });
}
