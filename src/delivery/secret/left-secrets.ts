import { HiddenObject } from './hiding';
import { asRetained } from '../../core/kind/retention';
import { lateIdsIn } from '../../core/late/late-text';
import { isLate, isSecretId } from '../../core/late/late-token';
import { FieldPath, Manifest, at, objectLabel, objectId } from '../../core/manifest/manifest';
import { AssemblyLateValue, AssemblyObject } from '../../core/output/assembly';
import { PlainOutput } from '../../core/program/delivery-step';
import { Finding, FindingLevel } from '../../core/rule/finding';
import { objectOf } from '../../core/rule/judge';
import { DELIVERY_LEFT, DELIVERY_SECRETS } from '../../core/rule/program-rules';
import { Rule } from '../../core/rule/rule';
import { looksRandom, secrecyOf } from '../../core/secret/definition';
import { secretPathsOf, sensitiveIds } from '../../core/secret/redactor';
import {
  fieldPathText,
  holdsOwnSecret,
  isSecretObject,
  secretFields,
} from '../../core/secret/secret-fields';
import { unwrappedPlaces } from '../../core/secret/unwrapped-secrets';
import { LeftReason } from '../engine/engine';

/** An object without its secrets: apply reads them again. */
interface LeftSecrets {
  /** Undefined if secrets remain. */
  readonly object?: HiddenObject;
  readonly lateValues: readonly AssemblyLateValue[];
  readonly findings: readonly Finding[];
}

/**
 * An object whose secrets are late values, which apply reads where they are when it runs.
 *
 * @param left why only apply writes it; without it, `resolve` writes it, too
 */
function withLateSecrets(
  output: PlainOutput,
  entry: AssemblyObject,
  left?: LeftReason,
): LeftSecrets {
  const { id } = entry;
  const { written, lateValues } = output.lateForm?.(id) ?? {
    written: output.manifests.get(id)!,
    lateValues: [],
  };
  const [open] = openSecrets(written);
  if (open !== undefined) {
    return {
      lateValues: [],
      findings: [
        deliveryFinding(DELIVERY_SECRETS, entry, written, fieldPathText(open), {
          message: `${objectLabel(written)} contains a secret that would be in plain text in the output`,
          fix:
            'read it with SecretValue.fromEnv or SecretValue.fromFile in the program, so that apply can read it again; ' +
            `with Flux, apply, or a tool of Argo CD that decrypts, encrypt it with SecretDelivery.sops; ${isSecretObject(written) ? '' : 'where the object can refer to a Secret, put the secret there, such as user data of a virtual machine into a CloudInitSecret; '}` +
            'or accept it with SecretDelivery.plainText()',
        }),
      ],
    };
  }
  const { file: _, template: __, ...others } = entry;
  return {
    object: {
      manifest: written,
      entry: {
        ...others,
        template: written,
        lateValues: lateIdsIn(written).sort(),
        ...(left ? { onlyApply: left.reason } : {}),
      },
    },
    lateValues,
    findings:
      left === undefined
        ? []
        : [
            deliveryFinding(DELIVERY_LEFT, entry, written, '', {
              message: `${objectLabel(written)} ${left.reason}, so it is in no file`,
              fix: left.fix,
            }),
          ],
  };
}

/**
 * The objects with secrets: Secrets as objects of another kind, all others without their secrets.
 *
 * @param made the object in place of a Secret that does not wait for a live cluster
 * @param leftOf why only apply writes another object
 */
export function hideSecrets(
  output: PlainOutput,
  ids: readonly string[],
  made: (entry: AssemblyObject, secret: Manifest) => HiddenObject,
  leftOf: (isSecret: boolean) => LeftReason | undefined,
): Omit<LeftSecrets, 'object'> & {
  readonly objects: ReadonlyMap<string, HiddenObject>;
  readonly secrets: ReadonlyMap<string, Manifest>;
} {
  const own = new Set(ids);
  const [objects, secrets] = [new Map<string, HiddenObject>(), new Map<string, Manifest>()];
  const left: LeftSecrets[] = [];
  for (const entry of output.assembly.objects.filter(
    (each) => own.has(each.id) && needsHiding(output, each),
  )) {
    const manifest = output.manifests.get(entry.id)!;
    const isSecret = isSecretObject(manifest);
    const isMade = isSecret && entry.lateValues === undefined;
    const late = isMade ? undefined : withLateSecrets(output, entry, leftOf(isSecret));
    if (late) {
      left.push(late);
    } else {
      secrets.set(entry.id, manifest);
    }
    const object = late ? late.object : made(entry, manifest);
    if (object) {
      objects.set(entry.id, object);
    }
  }
  return {
    objects,
    secrets,
    lateValues: left.flatMap(({ lateValues }) => lateValues),
    findings: left.flatMap(({ findings }) => findings),
  };
}

/** The object of another kind in place of a Secret. */
export function inPlaceOf(entry: AssemblyObject, manifest: Manifest): HiddenObject {
  const { apiVersion, kind } = manifest;
  const isKept = entry.deletion?.policy === 'keep';
  return {
    entry: { ...entry, id: objectId(entry.target, manifest), apiVersion, kind },
    manifest: isKept ? asRetained(manifest) : manifest,
  };
}

/** Whether an object contains a secret, or a late value that is a credential. */
function needsHiding(
  { assembly, manifests, secretPlaces }: PlainOutput,
  { id, lateValues: waits }: AssemblyObject,
): boolean {
  const { lateValues } = assembly;
  const manifest = manifests.get(id)!;
  if (secretFields(manifest, secretPlaces?.get(id) ?? new Set()).length > 0) {
    return true;
  }
  return waits !== undefined && secretPathsOf(manifest, sensitiveIds(lateValues)).length > 0;
}

/**
 * Fields in plain text that must not be in a template. The ordinary words of a Secret, such as a
 * type, may be.
 */
function openSecrets(manifest: Manifest): FieldPath[] {
  // markers of secrets that are in the program itself
  const marked = secretPathsOf(manifest, new Set(lateIdsIn(manifest).filter(isSecretId)));
  // a file of user data, whose secret could not be replaced
  const unwrapped = unwrappedPlaces(manifest).map(({ path }) => path);
  const fields = [...marked, ...secretFields(manifest, new Set(unwrapped.map(fieldPathText)))];
  if (!isSecretObject(manifest)) {
    return fields;
  }
  return fields.filter((path) => {
    const text = String(at(manifest, path));
    const plain = path[0] === 'data' ? Buffer.from(text, 'base64').toString('utf8') : text;
    return (
      isLate(text) ||
      unwrapped.some((other) => fieldPathText(other) === fieldPathText(path)) ||
      secrecyOf(path, manifest) === 'secret' ||
      looksRandom(plain) ||
      holdsOwnSecret(plain)
    );
  });
}

/** A finding on an object of the output. */
export function deliveryFinding(
  { id: rule, level, source }: Rule,
  { construct, target }: AssemblyObject,
  manifest: Manifest,
  path: string,
  words: Pick<Finding, 'message' | 'fix'>,
): Finding {
  return {
    rule,
    level: level as FindingLevel,
    source,
    construct,
    target,
    object: objectOf(manifest),
    path,
    ...words,
  };
}
