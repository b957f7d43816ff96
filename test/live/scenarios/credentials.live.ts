import { CREDENTIALS } from '../families/credentials';
import { describeFamily } from '../families/family';

describeFamily(CREDENTIALS);
