import { ANNOTATION_LAST_APPLIED } from '../../core/kind/field-managers';
import { Manifest, isRecord } from '../../core/manifest/manifest';
import { isSecretKey } from '../../core/secret/definition';
import { isSecretObject } from '../../core/secret/secret-fields';

/** What a hidden value is replaced by: an empty text, which is also valid base64. */
export const HIDDEN_VALUE = '';

/**
 * Keys of cloud credentials: those that are not secret, such as the ID of a cluster, are props of
 * the program.
 */
const CREDENTIAL_KEY = /^\w+credentialConfig-/;

/** A Secret without its values, of which only the keys are read; other objects as they are. */
export function withoutSecretValues(manifest: Manifest): Manifest {
  if (!isSecretObject(manifest)) {
    return manifest;
  }
  const { data, stringData, ...rest } = manifest;
  const { [ANNOTATION_LAST_APPLIED]: _, ...annotations } = manifest.metadata.annotations ?? {};
  return {
    ...rest,
    metadata: { ...manifest.metadata, ...(manifest.metadata.annotations ? { annotations } : {}) },
    ...(isRecord(data) ? { data: hidden(data) } : {}),
    ...(isRecord(stringData) ? { stringData: hidden(stringData) } : {}),
  };
}

function hidden(values: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } {
  const isOpen = (key: string): boolean => CREDENTIAL_KEY.test(key) && !isSecretKey(key);
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, isOpen(key) ? value : HIDDEN_VALUE]),
  );
}
