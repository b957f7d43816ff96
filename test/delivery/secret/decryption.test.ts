import { existsSync, readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { Delivery, SecretDelivery } from '../../../src';
import { valueAt } from '../../../src/core/manifest/manifest';
import { isSecretObject } from '../../../src/core/secret/secret-fields';
import { documentsOf } from '../../../src/core/yaml/yaml-reader';
import { readPlainOutput } from '../../../src/engine/read/plain-output';

const EXAMPLES = join(__dirname, '..', '..', '..', 'examples');
const outputOf = (name: string): string => join(EXAMPLES, name, 'dist');
// those for an engine have no secrets
const NAMES = readdirSync(EXAMPLES).filter((name) => {
  const file = join(outputOf(name), 'assembly.json');
  return existsSync(file) && !('stages' in JSON.parse(readFileSync(file, 'utf8')));
});

/** The stages of an example that contain an encrypted Secret, and those that Flux decrypts. */
function stagesOf(name: string): { readonly encrypted: string[]; readonly decrypted: string[] } {
  const secrets = SecretDelivery.sops({ recipients: ['age1qyyappls469vacyphhuhw3m02mpjxqgl'] });
  const { output } = secrets._hide(readPlainOutput(outputOf(name)).output, secrets)!;
  const { assembly, files } = Delivery.flux({ sourceName: 'platform', path: '.' })._deliver(
    output,
  )!;
  const kustomizations = [...files]
    .filter(([file]) => file.startsWith('flux/'))
    .flatMap(([, text]) => documentsOf(text).map((document) => document.toJS() as object));
  return {
    encrypted: assembly.objects.flatMap(({ file, stage, template }) => {
      if (file?.endsWith('.sops.yaml')) {
        return [`./${file.slice(0, file.lastIndexOf('/'))}`];
      }
      return stage !== undefined && template && isSecretObject(template) ? [`./${stage}`] : [];
    }),
    decrypted: kustomizations
      .filter((each) => valueAt(each, 'spec', 'decryption') !== undefined)
      .map((each) => String(valueAt(each, 'spec', 'path'))),
  };
}

test.each(NAMES)('Flux decrypts each stage of %s with an encrypted Secret', (name) => {
  const { encrypted, decrypted } = stagesOf(name);
  expect(encrypted.filter((stage) => !decrypted.includes(stage))).toEqual([]);
});

test('examples have encrypted Secrets in late stages, and in others', () => {
  const isLate = (stage: string): boolean => stage.includes('/late-');
  const encrypted = NAMES.flatMap((name) => stagesOf(name).encrypted);
  expect(encrypted.some(isLate)).toBe(true);
  expect(encrypted.some((stage) => !isLate(stage))).toBe(true);
});
