"""An object store for tests: moto's S3, which checks signatures, over HTTP and with a certificate over HTTPS.

s3_store.py [CERTIFICATE KEY]
    prints   ready HTTP-PORT HTTPS-PORT KEY-ID SECRET
    hears    list                 the objects of the bucket 'backups' with their sizes, and how many uploads are open
             flip KEY OFFSET      another byte at that place of an object
             put KEY TEXT         an object that is no backup
    ends     with its input
"""
import json
import os
import sys
import threading

# Making the user, his rights, his key and the bucket; from then on requests are signed.
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "4"
os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
os.environ["AWS_DEFAULT_REGION"] = "us-east-1"

import logging

import boto3
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

logging.getLogger("werkzeug").setLevel(logging.ERROR)


def serve(app, tls):
    server = make_server("127.0.0.1", 0, app, threaded=True, ssl_context=tls)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def main():
    app = DomainDispatcherApplication(create_backend_app)
    http = serve(app, None)
    https = serve(app, tuple(sys.argv[1:3])) if len(sys.argv) > 2 else 0
    client = {"endpoint_url": f"http://127.0.0.1:{http}", "aws_access_key_id": "x", "aws_secret_access_key": "x"}
    iam = boto3.client("iam", **client)
    iam.create_user(UserName="taffrail")
    rights = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
    iam.put_user_policy(UserName="taffrail", PolicyName="backups", PolicyDocument=json.dumps(rights))
    key = iam.create_access_key(UserName="taffrail")["AccessKey"]
    boto3.client("s3", **client).create_bucket(Bucket="backups")
    client.update(aws_access_key_id=key["AccessKeyId"], aws_secret_access_key=key["SecretAccessKey"])
    s3 = boto3.client("s3", **client)
    print("ready", http, https, key["AccessKeyId"], key["SecretAccessKey"], flush=True)
    for line in sys.stdin:
        words = line.split()
        if words[0] == "list":
            objects = s3.list_objects_v2(Bucket="backups").get("Contents", [])
            uploads = s3.list_multipart_uploads(Bucket="backups").get("Uploads", [])
            print(len(uploads), *(f"{o['Key']}={o['Size']}" for o in objects), flush=True)
        elif words[0] == "flip":
            body = bytearray(s3.get_object(Bucket="backups", Key=words[1])["Body"].read())
            body[int(words[2])] ^= 1
            s3.put_object(Bucket="backups", Key=words[1], Body=bytes(body))
            print("done", flush=True)
        elif words[0] == "put":
            s3.put_object(Bucket="backups", Key=words[1], Body=words[2].encode())
            print("done", flush=True)


main()
