import { JudgedObject, Rule } from './rule';
import { ANNOTATION_PLACEHOLDER } from '../model/labels';
import { Problem } from '../model/problem';

const PLACEHOLDER: Rule = {
  id: 'object/placeholder',
  level: 'error',
  kinds: ['*'],
  what: 'an object holds its secrets, not the placeholders of a build without secrets',
  source: 'SecretValue of this library',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const secrets = manifest.metadata.annotations?.[ANNOTATION_PLACEHOLDER];
    if (secrets === undefined) { return; }
    yield {
      path: `metadata.annotations[${ANNOTATION_PLACEHOLDER}]`,
      message: `holds placeholders instead of the secret from ${secrets}`,
      fix: 'synthesize where the secrets are set, without CDK8S_HARVESTER_SECRETS',
    };
  },
};

export const PLACEHOLDER_RULES: readonly Rule[] = [PLACEHOLDER];
