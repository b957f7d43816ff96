import { describeFamily } from '../../families/family';
import { LOGIN } from '../../families/login';

describeFamily(LOGIN);
